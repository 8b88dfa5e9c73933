"""Five means of top-10 lists in one statement of SQL: TRUTH REC [--checked]. Rows in any order.

Nothing is checked: a repeated item counts twice, a rank may be missing, given twice, or contradict the score. With --checked the tables are
asked for repeated items first, as rankwell looks for them.
"""

from __future__ import annotations

import duckdb
from table_peers import IDEAL, main

MEANS = f"""
with judged as (select user_id, count(*) as relevant from '{{truth}}' group by user_id),
hits as (
    select user_id, rank, row_number() over (partition by user_id order by rank) as place
    from '{{rec}}' join '{{truth}}' using (user_id, item_id) where rank <= 10
),
lists as (
    select user_id, sum(place / rank) as precisions, sum(1 / log2(rank + 1)) as gain, count(*) as found, 1 / min(rank) as first
    from hits group by user_id
)
select avg(coalesce(precisions, 0) / relevant), avg(coalesce(gain, 0) / ({IDEAL}::double[])[least(relevant, 10) + 1]),
       avg(coalesce(found, 0) / 10), avg(coalesce(found, 0) / relevant), avg(coalesce(first, 0))
from judged left join lists using (user_id)
"""
REPEATED = "select user_id from '{table}' group by user_id, item_id having count(*) > 1 limit 1"


def measure(truth: str, rec: str, checked: bool = False) -> tuple[float, ...]:
    database = duckdb.connect()
    for table in (truth, rec) if checked else ():
        if database.sql(REPEATED.format(table=table)).fetchall():
            raise SystemExit(f"{table}: a user has an item twice")
    return database.sql(MEANS.format(truth=truth, rec=rec)).fetchall()[0]


main(measure)
