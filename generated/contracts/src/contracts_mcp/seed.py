"""What a new store holds: a few signed contracts, all invented."""

CONTRACTS = (
    ("C-1001", "Hosting of the customer portal", "Nordlicht Hosting AB", "active", "2024-03-01", "2027-02-28", 48_000,
     ("Availability is 99.9 percent a month. The notice period is three months. Data protection: personal data stays in"
     " the European Union. The liability cap is one yearly fee.")),
    ("C-1002", "Office lease, Harbour Street 4", "Hafen Immobilien GmbH", "active", "2021-07-15", None, 126_000,
     ("The notice period is twelve months, for the first time to the end of the fifth year. Renewal: none is needed. We"
     " repair what we break and return the rooms painted.")),
    ("C-1003", "Translation of manuals", "Palabra y Texto SL", "expired", "2020-01-10", "2022-12-31", 9_500,
     "Delivery is within ten working days. Confidentiality lasts three years beyond the end."),
    ("C-1004", "Supply of sensors", "Takumi Sensor KK", "active", "2023-10-02", "2026-10-01", 310_000,
     ("Delivery is monthly. Indemnity: the supplier makes good what defects cost. Renewal is by a year at a time unless"
     " somebody gives notice of six months.")),
    ("C-1005", "Mutual confidentiality", "Bramble & Finch Ltd", "active", "2025-05-20", "2030-05-19", 0,
     "Confidentiality covers drawings, prices and customers. What is public is not confidential."),
    ("C-1006", "Cleaning of the workshop", "Saubermann OHG", "terminated", "2019-04-01", "2023-09-30", 14_400,
     "The notice period is one month. Data protection does not apply: no personal data is handled."),
    ("C-1007", "Research on quiet gears", "Institute of Machine Acoustics", "active", "2025-01-08", "2027-01-07", 85_000,
     "Results belong to both. Publication needs a notice of thirty days. The liability cap is the yearly value."),
    ("C-1008", "Freight to Lisbon", "Maré Transportes Lda", "expired", "2022-02-01", "2024-01-31", 52_300,
     "Indemnity: the carrier makes good what is lost on the way, up to the value of the goods."),
)  # fmt: skip
"""Id, title, other party, status, day it was signed, last day, yearly value in euros, clauses."""
