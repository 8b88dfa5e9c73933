"""ndeval of rankwell, called in this process."""

from __future__ import annotations

from pathlib import Path

from rankwell.compat.ndeval import main


def run(arguments: list[str], folder: Path, capsysbinary, monkeypatch) -> tuple[int, str, str]:
    monkeypatch.chdir(folder)
    code = main(arguments)
    out, err = capsysbinary.readouterr()
    return code, out.decode("latin-1"), err.decode()


def cells(out: str) -> list[list[str]]:
    return [line.rsplit(",", 22) for line in out.splitlines()]


def write(folder: Path, **files: str | bytes) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def column(out: str, topic: str, name: str) -> str:
    head, *rows = cells(out)
    return next(row[head.index(name)] for row in rows if row[1] == topic)


TWO, FIRST = "1 1 a 1\n1 2 b 1\n", "1 Q0 a 1 1 t\n"
HALF_RUN = "1 Q0 d14 8 1 t\n" + "".join(f"1 Q0 x{rank} {rank} 1 t\n" for rank in range(1, 8))
HALF_RUN += "".join(f"{topic} Q0 x 1 1 t\n" for topic in (2, 5, 6, 30, 40))
