"""Make the bundled help pages of an invented bicycle rental, with passages, gold spans, nuggets and what two retrievers return.

The texts and questions are made up here, and belong to the project. The retrievers are two well-known formulas in a few lines each, so
that the lists are real lists: BM25 over words, and TF-IDF over the letters of words, three by three. The "answers" are by rule: a
nugget is supported if its words stand in the first three passages of a list, and half supported if they stand in the first six.

    python tools/make_help_pages.py            # write src/rankwell/data/help_pages
    python tools/make_help_pages.py --check    # say whether the files are those that would be written
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "rankwell" / "data" / "help_pages"
SHOWN = 8  # passages that a retriever returns
PAGES = {
    "account": """
You open an account in the app with a telephone number. We send a code of six digits, and the account is ready when you have typed it in. One person can have one account only, and the account cannot be given to somebody else.
To change your telephone number, sign in with the old number first and choose Settings, then Number. If the old number is lost, write to us from the e-mail address of your account; we answer within two working days.
You can delete your account under Settings, Privacy, Delete account. Rides of the last 90 days stay stored because tax law asks for it. Money that is left on the account is paid back to your card within ten days.
Children under 14 may not ride alone. From 14 to 17 a parent has to confirm the account once, by a payment of one cent from their own card.
""",
    "prices": """
A ride costs 1 euro to unlock and 12 cents for each minute. After 60 minutes in one ride the price for a minute falls to 8 cents. The app shows the running price on the lock screen.
The monthly pass costs 19 euros. With it the first 30 minutes of every ride are free, and there is no fee for unlocking. The pass renews itself each month until you cancel it, at the latest one day before the new month begins.
Students, apprentices and people over 65 pay half the price of the monthly pass. Send a picture of your card of proof under Settings, Discounts. The discount holds for twelve months, then we ask again.
If a bicycle breaks down during a ride, the ride is free: report it in the app under Help, Broken bicycle, before you end the ride.
""",
    "payment": """
We take credit cards, debit cards and PayPal. Cash is not possible. Your card is charged when a ride ends, or once a day if you ride several times.
If a payment fails we try again after three days. Until it is paid you cannot unlock another bicycle. There is no fee for the first failed payment; from the second one on it is 4 euros.
Invoices stand under Rides, Invoice, as a PDF for each month. Companies can have one invoice for all of their people; write to business@velo.example for that.
A refund takes three to five working days until it stands on your card. We refund rides that were charged twice, rides on broken bicycles, and rides under one minute.
""",
    "riding": """
To unlock a bicycle, scan the code on the handlebar or type in its number of five digits. The lock opens within ten seconds. If it does not, move the bicycle a little, and press Try again.
You may pause a ride and lock the bicycle with Pause in the app. The minutes go on counting, and nobody else can take the bicycle. A pause ends by itself after two hours, and so does the ride.
End a ride by closing the lock by hand in a green zone of the map. A ride that ends outside of the green zones costs 10 euros more, since somebody has to fetch the bicycle.
Helmets are not obligatory, but we advise you to wear one. Two people on one bicycle are forbidden, also children on the luggage rack. The basket carries at most 5 kilograms.
""",
    "electric": """
The bicycles with a blue frame have an electric motor. They help up to 25 kilometres an hour, and cost 20 cents for each minute in place of 12.
The range of a full battery is about 60 kilometres. The app shows the charge before you unlock. Below 10 percent the motor stays off, and the bicycle rides like any other.
You do not have to charge an electric bicycle. Our people change empty batteries at night. Please do not take out a battery yourself: it is locked, and breaking the lock costs 150 euros.
Electric bicycles may not be ridden in pedestrian zones, and not on the island. The motor turns itself off there.
""",
    "damage": """
Report damage in the app under Help, Broken bicycle, with a picture if you can. You do not pay for wear, such as a flat tyre or a chain that came off.
If you damage a bicycle on purpose, or ride it in the sea or on stairs, you pay for the repair, at most 600 euros.
After an accident first call the emergency number 112 if somebody is hurt. Then call us at 0800 555 018, day and night. You are insured against damage to others up to 3 million euros, but not for your own things.
A stolen bicycle must be reported to the police within 24 hours, if it was stolen while you rented it and the lock was not closed. Send us the number of the report.
""",
    "zones": """
Green zones on the map are where you may end a ride. In yellow zones you may ride and pause, and not end. In red zones the motor stays off, and leaving a bicycle there costs 25 euros.
The airport is a yellow zone, but there is a station with 40 places in front of Terminal 2 where rides may end. The way to the airport is 14 kilometres from the centre.
You may take a bicycle on regional trains with a ticket for bicycles, but not on buses or trams. The rental goes on while you sit in the train.
The winter zone is smaller: from December to February rides end only within the ring road, since snow is cleared only there.
""",
    "help": """
The fastest help is the chat in the app, from 6 in the morning until midnight. People answer there, on average within four minutes.
The telephone number 0800 555 018 is free, and is for accidents and for bicycles that cannot be locked. For everything else please use the chat.
Lost property is kept for 30 days in our shop at Harbour Street 4, open on weekdays from 10 to 18. Tell us in the chat what you lost, and on which ride.
You are not content with an answer? Write to the ombudsman for consumers, whose address is in the terms of use. It is free for you, and we keep to what is decided.
""",
}
# question: what a person asks, the pages that answer it, the words that do, and the facts of a good answer: (vital?, words of the fact)
QUESTIONS = {
    "q01": ("How do I change my phone number?", ["account"], ["sign in with the old number first and choose Settings, then Number", "If the old number is lost, write to us from the e-mail address of your account"], [(True, "old number"), (False, "two working days")]),
    "q02": ("What does a ride of half an hour cost?", ["prices"], ["A ride costs 1 euro to unlock and 12 cents for each minute", "the first 30 minutes of every ride are free"], [(True, "12 cents"), (False, "first 30 minutes")]),
    "q03": ("Is there a student discount?", ["prices"], ["Students, apprentices and people over 65 pay half the price of the monthly pass"], [(True, "half the price"), (False, "twelve months")]),
    "q04": ("Can my 15 year old daughter ride?", ["account"], ["From 14 to 17 a parent has to confirm the account once"], [(True, "parent has to confirm"), (False, "one cent")]),
    "q05": ("Can I pay in cash?", ["payment"], ["We take credit cards, debit cards and PayPal. Cash is not possible"], [(True, "Cash is not possible"), (True, "PayPal")]),
    "q06": ("My card was charged two times for one ride, do I get the money back?", ["payment"], ["We refund rides that were charged twice", "A refund takes three to five working days"], [(True, "charged twice"), (False, "five working days")]),
    "q07": ("The lock does not open, what now?", ["riding"], ["If it does not, move the bicycle a little, and press Try again"], [(True, "Try again"), (False, "ten seconds")]),
    "q08": ("Where may I leave the bike at the end?", ["riding", "zones"], ["End a ride by closing the lock by hand in a green zone", "Green zones on the map are where you may end a ride"], [(True, "green zone"), (False, "10 euros more")]),
    "q09": ("How far can I go with an e-bike?", ["electric"], ["The range of a full battery is about 60 kilometres"], [(True, "60 kilometres"), (False, "10 percent")]),
    "q10": ("What does an electric bicycle cost per minute?", ["electric"], ["cost 20 cents for each minute in place of 12"], [(True, "20 cents")]),
    "q11": ("I had an accident, whom do I call?", ["damage", "help"], ["first call the emergency number 112", "Then call us at 0800 555 018", "The telephone number 0800 555 018 is free, and is for accidents"], [(True, "112"), (True, "0800 555 018")]),
    "q12": ("Do I have to pay for a flat tyre?", ["damage"], ["You do not pay for wear, such as a flat tyre"], [(True, "do not pay for wear"), (False, "picture")]),
    "q13": ("Can I ride to the airport and end there?", ["zones"], ["The airport is a yellow zone, but there is a station with 40 places in front of Terminal 2 where rides may end"], [(True, "Terminal 2"), (False, "14 kilometres")]),
    "q14": ("May I take the bicycle on the train?", ["zones"], ["You may take a bicycle on regional trains with a ticket for bicycles"], [(True, "regional trains"), (False, "rental goes on")]),
    "q15": ("I forgot my bag in the basket", ["help"], ["Lost property is kept for 30 days in our shop at Harbour Street 4"], [(True, "Harbour Street 4"), (False, "30 days")]),
    "q16": ("How do I stop the monthly pass?", ["prices"], ["The pass renews itself each month until you cancel it, at the latest one day before the new month begins"], [(True, "one day before"), (False, "renews itself")]),
    "q17": ("What happens if I leave it outside of the area?", ["riding", "zones"], ["A ride that ends outside of the green zones costs 10 euros more", "leaving a bicycle there costs 25 euros"], [(True, "10 euros more"), (True, "25 euros")]),
    "q18": ("How do I delete my account and get my money?", ["account"], ["You can delete your account under Settings, Privacy, Delete account", "Money that is left on the account is paid back to your card within ten days"], [(True, "Delete account"), (True, "ten days")]),
    "q19": ("Can two people sit on one bike?", ["riding"], ["Two people on one bicycle are forbidden"], [(True, "forbidden")]),
    "q20": ("The bicycle was stolen", ["damage"], ["A stolen bicycle must be reported to the police within 24 hours"], [(True, "police"), (True, "24 hours")]),
    "q21": ("Is somebody there at night?", ["help", "damage"], ["from 6 in the morning until midnight", "Then call us at 0800 555 018, day and night"], [(True, "until midnight"), (True, "day and night")]),
    "q22": ("I could not pay, is there a fee?", ["payment"], ["There is no fee for the first failed payment; from the second one on it is 4 euros"], [(True, "first failed payment"), (True, "4 euros")]),
    "q23": ("How do I get a bill for my company?", ["payment"], ["Companies can have one invoice for all of their people"], [(True, "one invoice"), (False, "business@velo.example")]),
    "q24": ("Does my ride go on if I stop for a coffee?", ["riding"], ["The minutes go on counting, and nobody else can take the bicycle", "A pause ends by itself after two hours"], [(True, "go on counting"), (True, "two hours")]),
}  # fmt: skip


def passages() -> list[dict]:
    """Each paragraph of a page, with where it stands in the page and how many words it has, as its tokens."""
    made = []
    for page, text in PAGES.items():
        text, start = text.strip(), 0
        for number, paragraph in enumerate(text.split("\n"), 1):
            start = text.index(paragraph, start)
            made.append(
                {
                    "item": f"{page}#{number}", "document": page, "start": start, "end": start + len(paragraph),
                    "tokens": len(paragraph.split()), "text": paragraph,
                }
            )  # fmt: skip
    return made


def spans() -> list[dict]:
    """Where the words that answer a question stand in the pages."""
    found = []
    for query, (_, pages, quotes, _) in QUESTIONS.items():
        for quote in quotes:
            [(page, start)] = [
                (page, text.strip().find(quote))
                for page, text in PAGES.items()
                if page in pages and quote in text
            ]
            found.append({"query": query, "document": page, "start": start, "end": start + len(quote)})
    return found


def words(text: str) -> list[str]:
    """The words in lower case, without an s at the end."""
    return [word.removesuffix("s") for word in re.findall(r"\w+", text.lower())]


def thirds(text: str) -> list[str]:
    """The letters of words, three by three."""
    return [f" {word} "[at : at + 3] for word in words(text) for at in range(len(word))]


def bm25(texts: list[str], query: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """The scores of texts for a query by BM25 (Robertson and Zaragoza 2009)."""
    counts = [Counter(words(text)) for text in texts]
    mean = sum(count.total() for count in counts) / len(counts)
    scores = []
    for count in counts:
        score = 0.0
        for word in words(query):
            df = sum(word in each for each in counts)
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            score += idf * count[word] * (k1 + 1) / (count[word] + k1 * (1 - b + b * count.total() / mean))
        scores.append(score)
    return scores


def cosine(texts: list[str], query: str) -> list[float]:
    """The cosines of texts and a query, as vectors of TF-IDF over letters."""
    counts = [Counter(thirds(text)) for text in texts]
    idf = {
        part: math.log(len(texts) / sum(part in each for each in counts)) for part in {part for c in counts for part in c}
    }  # fmt: skip

    def vector(count: Counter) -> dict[str, float]:
        weights = {part: (1 + math.log(n)) * idf.get(part, 0.0) for part, n in count.items()}
        length = math.sqrt(sum(each * each for each in weights.values())) or 1.0
        return {part: each / length for part, each in weights.items()}

    asked = vector(Counter(thirds(query)))
    return [sum(weight * asked.get(part, 0.0) for part, weight in vector(count).items()) for count in counts]


def documents(retriever: Callable[[list[str], str], list[float]]) -> dict[str, list[dict]]:
    """What a retriever returns for each question, as LangChain writes its Documents."""
    parts = passages()
    answers = {}
    for query, (question, *_) in QUESTIONS.items():
        scores = retriever([part["text"] for part in parts], question)
        best = sorted(range(len(parts)), key=lambda row: (-scores[row], parts[row]["item"]))[:SHOWN]
        answers[query] = [
            {
                "id": parts[row]["item"],
                "metadata": {"source": f"{parts[row]['document']}.md"},
                "page_content": parts[row]["text"],
                "type": "Document",
            }
            for row in best
        ]
    return answers


def nuggets() -> list[dict]:
    """The facts of a good answer, as nuggetizer writes them."""
    return [
        {
            "qid": query,
            "query": question,
            "nuggets": [
                {"text": fact, "importance": "vital" if is_vital else "okay"} for is_vital, fact in facts
            ],
        }
        for query, (question, _, _, facts) in QUESTIONS.items()
    ]


def assignments(answers: dict[str, list[dict]], name: str) -> list[dict]:
    """Whether an answer from what was retrieved would support each fact, by the rule that the top of this file says."""
    made = []
    for record in nuggets():
        texts = [document["page_content"] for document in answers[record["qid"]]]
        rated = []
        for nugget in record["nuggets"]:
            first = next(
                (at for at, text in enumerate(texts) if nugget["text"].lower() in text.lower()), SHOWN
            )
            support = "support" if first < 3 else "partial_support" if first < 6 else "not_support"
            rated.append({**nugget, "assignment": support})
        made.append({**record, "run_id": name, "nuggets": rated})
    return made


def files() -> dict[str, str]:
    """The text of each file by its name."""
    by_words, by_letters = documents(bm25), documents(cosine)
    judged = [f"{query} 0 {page} 1" for query, (_, pages, _, _) in QUESTIONS.items() for page in pages]
    of_lines = {
        "passages.jsonl": passages(),
        "questions.jsonl": [{"query": query, "text": text} for query, (text, *_) in QUESTIONS.items()],
        "spans.jsonl": spans(),
        "nuggets.jsonl": nuggets(),
        "answers_bm25.jsonl": assignments(by_words, "bm25"),
        "answers_letters.jsonl": assignments(by_letters, "letters"),
    }
    made = {name: "".join(json.dumps(line) + "\n" for line in lines) for name, lines in of_lines.items()}
    made["pages.qrels"] = "\n".join(judged) + "\n"
    for name, answers in (("bm25", by_words), ("letters", by_letters)):
        made[f"{name}.json"] = json.dumps(answers, indent=0) + "\n"
    return made


def main() -> int:
    """Write the files, or with --check compare them."""
    made = files()
    if "--check" in sys.argv:
        wrong = [name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
        print("\n".join(f"{name} differs: python tools/make_help_pages.py" for name in wrong) or "as made")
        return bool(wrong)
    FOLDER.mkdir(exist_ok=True)
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
