"""Checks of metrics against other people's programs: a metric's text, the program that has it too, and its value."""

from __future__ import annotations

from .programs import (
    Value,
    area_under_pr,
    cwl,
    gains_of,
    harmonic,
    interpolated,
    ir,
    limited_auc,
    ntcir,
    over_collection,
    over_first,
    over_list,
    program,
    reciprocal,
    where_all_are_found,
)


def checks() -> list[tuple[str, str, Value]]:
    """All checks on lists without equal scores."""
    import ir_measures
    from sklearn import metrics as sk

    ntcireval, cwl_eval = program("pyNTCIREVAL"), program("cwl-eval")
    learn, measures = program("scikit-learn"), program("ir_measures")
    rows: list[tuple[str, str, Value]] = []

    def add(source: str, call: str, *pairs: tuple[str, Value]) -> None:
        rows.extend((metric, f"{source} {call}", value) for metric, value in pairs)

    add(
        ntcireval,
        "QMeasure",
        ("q", ntcir("QMeasure", 1.0)),
        ("q@5", ntcir("QMeasure", 1.0, 5)),
        ("q(beta=10)", ntcir("QMeasure", 10.0)),
        ("q(beta=0.5)@3", ntcir("QMeasure", 0.5, 3)),
        ("q(gain=exp2)", ntcir("QMeasure", 1.0, gains=(1, 3, 7))),
        ("q(beta=0)", ntcir("QMeasure", 0.0)),
        ("q(gain={1:1,2:5,3:6})@5", ntcir("QMeasure", 1.0, 5, gains=(1, 5, 6))),
    )
    add(ntcireval, "ERR", ("err(gain=linear,max_grade=3)", ntcir("ERR")))
    add(
        ntcireval,
        "nERR",
        ("nerr(gain=linear,max_grade=3)@5", ntcir("nERR", 5)),
        ("nerr(gain=linear,max_grade=3)", ntcir("nERR", None)),
    )
    add(
        ntcireval,
        "RBP",
        ("rbp(max_grade=3)", ntcir("RBP", 0.8)),
        ("rbp(max_grade=3,p=0.5)", ntcir("RBP", 0.5)),
        ("rbp(gain=binary,p=0.95)", ntcir("RBP", 0.95, gains=(1, 1, 1))),
    )
    add(
        ntcireval,
        "MSnDCG",
        ("ndcg", ntcir("MSnDCG", None)),
        ("ndcg@5", ntcir("MSnDCG", 5)),
        ("ndcg(gain=exp2)", ntcir("MSnDCG", None, gains=(1, 3, 7))),
        ("ndcg(gain=exp2)@3", ntcir("MSnDCG", 3, gains=(1, 3, 7))),
        ("ndcg(gain={1:1,2:5,3:6})@5", ntcir("MSnDCG", 5, gains=(1, 5, 6))),
    )
    add(
        ntcireval,
        "nDCG",
        ("ndcg(discount=jk)", ntcir("nDCG", 2, None)),
        ("ndcg(discount=jk,base=10)@5", ntcir("nDCG", 10, 5)),
        ("ndcg(gain=exp2,discount=jk,base=3)", ntcir("nDCG", 3, None, gains=(1, 3, 7))),
    )
    add(ntcireval, "AP", ("ap", ntcir("AP")), ("ap@5", ntcir("AP", 5)))
    add(ntcireval, "RR", ("rr", ntcir("RR")), ("first_rank", reciprocal(ntcir("RR"))))
    add(ntcireval, "Precision", ("p@5", ntcir("Precision", 5)))
    add(ntcireval, "Hit", ("hit@3", ntcir("Hit", 3)))
    add(
        cwl_eval,
        "INSQ",
        *(
            (
                f"insq(max_grade=3,T={t})" if t != 1 else "insq(max_grade=3)",
                cwl("cwl_insq", "INSQCWLMetric", t),
            )
            for t in (1, 0.5, 3)
        ),
    )
    add(
        cwl_eval,
        "INST",
        *(
            (
                f"inst(max_grade=3,T={t})" if t != 1 else "inst(max_grade=3)",
                cwl("cwl_inst", "INSTCWLMetric", t),
            )
            for t in (1, 2.5, 4)
        ),
    )
    add(
        cwl_eval,
        "RBP",
        ("rbp(max_grade=3)", cwl("cwl_rbp", "RBPCWLMetric", 0.8)),
        ("rbp(max_grade=3,p=0.5)", cwl("cwl_rbp", "RBPCWLMetric", 0.5)),
    )
    add(
        learn,
        "fbeta_score",
        *(
            (
                f"set_f(beta={beta})" if beta != 1 else "set_f",
                over_collection(lambda truth, seen, beta=beta: sk.fbeta_score(truth, seen, beta=beta)),
            )
            for beta in (1, 2, 0.5)
        ),
    )
    add(
        learn,
        "fbeta_score",
        ("f(beta=2)@3", over_first(3, lambda truth, seen: sk.fbeta_score(truth, seen, beta=2))),
        ("f(c=0.2)@4", over_first(4, lambda truth, seen: sk.fbeta_score(truth, seen, beta=2))),
        ("f(C=0.25)@4", over_first(4, lambda truth, seen: sk.fbeta_score(truth, seen, beta=0.5))),
    )
    add(
        learn,
        "precision_score",
        ("set_p", over_collection(sk.precision_score)),
        ("p(denom=n)@4", over_first(4, sk.precision_score)),
        ("p(denom=n)@15", over_collection(sk.precision_score)),
    )
    add(learn, "accuracy_score", ("accuracy(collection=40)@4", over_first(4, sk.accuracy_score)))
    add(
        learn,
        "recall_score",
        ("set_r", over_collection(sk.recall_score)),
        (
            "specificity(collection=40)",
            over_collection(lambda truth, seen: sk.recall_score(truth, seen, pos_label=0)),
        ),
        (
            "fallout(collection=40)",
            over_collection(lambda truth, seen: 1 - sk.recall_score(truth, seen, pos_label=0)),
        ),
    )
    add(learn, "accuracy_score", ("accuracy(collection=40)", over_collection(sk.accuracy_score)))
    add(learn, "matthews_corrcoef", ("mcc(collection=40)", over_collection(sk.matthews_corrcoef)))
    add(
        learn,
        "confusion_matrix",
        (
            "utility(prices=[2,-1,-0.5,0.25],collection=40)",
            over_collection(
                lambda truth, seen: float((sk.confusion_matrix(truth, seen) * [[0.25, -1], [-0.5, 2]]).sum())
            ),
        ),
    )
    add(
        learn,
        "dcg_score",
        ("dcg", gains_of(sk.dcg_score)),
        ("dcg@3", gains_of(sk.dcg_score, k=3)),
        ("dcg(gain=exp2)@5", gains_of(sk.dcg_score, k=5, exp2=True)),
    )
    add(
        learn,
        "ndcg_score",
        ("ndcg(ideal=retrieved)", gains_of(sk.ndcg_score)),
        ("ndcg@3", gains_of(sk.ndcg_score, k=3, ideal=True)),
        ("ndcg(gain=exp2)@3", gains_of(sk.ndcg_score, k=3, exp2=True, ideal=True)),
    )
    add(learn, "average_precision_score", ("ap(denom=hits)", over_list(sk.average_precision_score)))
    add(
        learn,
        "precision_recall_curve",
        *((f"iprec(level={level})", interpolated(level)) for level in (0, 0.3, 0.7, 1)),
    )
    add(
        learn,
        "average_precision_score",
        ("auc_pr", where_all_are_found(over_list(sk.average_precision_score))),
    )
    add(
        learn,
        "auc of precision_recall_curve",
        ("auc_pr(method=trapezoid)", where_all_are_found(area_under_pr)),
    )
    add(
        learn,
        "roc_auc_score",
        ("auc_topk(collection=40)@5", limited_auc(5)),
        ("auc_topk(collection=40)", limited_auc(99)),
    )
    add(program("scipy"), "stats.hmean", ("f@3", harmonic(3)), ("f@10", harmonic(10)))
    add(
        measures,
        "Compat",
        ("compat(depth=none)", ir(ir_measures.Compat)),
        ("compat(p=0.8,depth=none)", ir(ir_measures.Compat(p=0.8))),
    )
    add(
        measures,
        "Judged",
        ("judged@5", ir(ir_measures.Judged @ 5)),
        ("judged@10", ir(ir_measures.Judged @ 10)),
    )
    add(
        f"{cwl_eval} (in {measures})",
        "SDCG",
        ("ndcg(ideal=maximal,max_grade=3)@5", ir(ir_measures.SDCG(max_rel=3) @ 5)),
        ("ndcg(ideal=maximal,max_grade=4)@10", ir(ir_measures.SDCG(max_rel=4) @ 10)),
    )
    return rows


def tied_checks() -> list[tuple[str, str, Value]]:
    """Checks on lists full of equal scores."""
    from sklearn import metrics as sk

    learn = program("scikit-learn")
    return [
        ("auc", f"{learn} roc_auc_score", over_list(sk.roc_auc_score)),
        ("auc(among=judged)", f"{learn} roc_auc_score", over_list(sk.roc_auc_score, judged=True)),
    ]
