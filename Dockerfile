# The command rankwell in an image: docker build -t rankwell . && docker run --rm -v "$PWD:/data" rankwell demo
# The first stage compiles; the second gets the wheels, and has no compiler.
ARG PYTHON=3.13

FROM python:${PYTHON} AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels '/source[report]'

FROM python:${PYTHON}-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'rankwell[report]' \
    && useradd --create-home rankwell
USER rankwell
WORKDIR /data
ENTRYPOINT ["rankwell"]
CMD ["--help"]
