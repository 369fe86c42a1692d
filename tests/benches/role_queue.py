"""The role queue as it would obviously be built: Flask, SQLAlchemy, gunicorn. A role is picked with `for update skip
locked`, so that no two scrapers get the same one. It keeps the posted jobs in one table: no evidence, no history, no
clusters, no matching, no second post of the same jobs, so it does less than we do.

`role_queue.py <roles> <keys>` makes the tables anew; gunicorn serves `role_queue:app`. DATABASE_URL says where.
"""

import hashlib
import os
import sys
import uuid
from datetime import datetime, timezone

from flask import Flask, g, jsonify, request
from sqlalchemy import ARRAY, Date, DateTime, ForeignKey, String, Text, UniqueConstraint, Uuid, case, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, scoped_session, sessionmaker

engine = create_engine(os.environ["DATABASE_URL"], pool_size=4, max_overflow=4)
db = scoped_session(sessionmaker(engine))


class Base(DeclarativeBase):
    pass


class ScraperApiKey(Base):
    __tablename__ = "scraper_api_keys"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    key_hash: Mapped[str] = mapped_column(String(255), unique=True)
    is_active: Mapped[bool] = mapped_column(default=True)
    usage_count: Mapped[int] = mapped_column(default=0)
    last_used_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class GlobalRole(Base):
    __tablename__ = "global_roles"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255), unique=True)
    aliases: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    queue_status: Mapped[str] = mapped_column(String(20), default="pending", index=True)
    priority: Mapped[str] = mapped_column(String(20), default="normal")
    candidate_count: Mapped[int] = mapped_column(default=0)
    total_jobs_scraped: Mapped[int] = mapped_column(default=0)
    last_scraped_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    updated_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class ScrapeSession(Base):
    __tablename__ = "scrape_sessions"
    id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[uuid.UUID] = mapped_column(Uuid, unique=True)
    scraper_key_id: Mapped[int] = mapped_column(ForeignKey("scraper_api_keys.id"), index=True)
    scraper_name: Mapped[str] = mapped_column(String(100))
    global_role_id: Mapped[int | None] = mapped_column(ForeignKey("global_roles.id"))
    role_name: Mapped[str] = mapped_column(String(255))
    started_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
    completed_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    duration_seconds: Mapped[int | None]
    jobs_found: Mapped[int] = mapped_column(default=0)
    jobs_imported: Mapped[int] = mapped_column(default=0)
    jobs_skipped: Mapped[int] = mapped_column(default=0)
    status: Mapped[str] = mapped_column(String(20), default="in_progress", index=True)


class JobPosting(Base):
    __tablename__ = "job_postings"
    id: Mapped[int] = mapped_column(primary_key=True)
    platform: Mapped[str] = mapped_column(String(64))
    external_job_id: Mapped[str] = mapped_column(String(255))
    title: Mapped[str] = mapped_column(String(500))
    company: Mapped[str | None] = mapped_column(String(500))
    location: Mapped[str | None] = mapped_column(String(500))
    description: Mapped[str | None] = mapped_column(Text)
    skills: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    salary_min: Mapped[int | None]
    salary_max: Mapped[int | None]
    job_url: Mapped[str | None] = mapped_column(String(2048))
    posted_date: Mapped[datetime | None] = mapped_column(Date)
    scraper_key_id: Mapped[int | None]
    scrape_session_id: Mapped[uuid.UUID | None] = mapped_column(Uuid)
    normalized_role_id: Mapped[int | None] = mapped_column(ForeignKey("global_roles.id"), index=True)
    __table_args__ = (UniqueConstraint("platform", "external_job_id"),)


app = Flask(__name__)
WEIGHT = case(
    (GlobalRole.priority == "urgent", 4),
    (GlobalRole.priority == "high", 3),
    (GlobalRole.priority == "normal", 2),
    (GlobalRole.priority == "low", 1),
)
FIELDS = ["platform", "external_job_id", "title", "company", "location", "description", "skills", "salary_min"]
FIELDS += ["salary_max", "job_url", "posted_date"]


def now():
    return datetime.now(timezone.utc)


@app.teardown_appcontext
def done(_):
    db.remove()


@app.before_request
def authenticate():
    presented = request.headers.get("X-Scraper-API-Key")
    if not presented:
        return jsonify({"error": "API key required"}), 401
    found = select(ScraperApiKey).where(ScraperApiKey.key_hash == hashlib.sha256(presented.encode()).hexdigest())
    key = db.scalars(found.where(ScraperApiKey.is_active)).first()
    if key is None:
        return jsonify({"error": "Invalid or expired API key"}), 401
    key.usage_count += 1
    key.last_used_at = now()
    db.commit()
    g.scraper_key = key
    return None


@app.get("/api/scraper/queue/next-role")
def next_role():
    waiting = select(GlobalRole).where(GlobalRole.queue_status == "pending")
    ordered = waiting.order_by(WEIGHT.desc(), GlobalRole.candidate_count.desc()).limit(1)
    role = db.scalars(ordered.with_for_update(skip_locked=True)).first()
    if role is None:
        return "", 204
    role.queue_status = "processing"
    role.updated_at = now()
    session = ScrapeSession(
        session_id=uuid.uuid4(),
        scraper_key_id=g.scraper_key.id,
        scraper_name=g.scraper_key.name,
        global_role_id=role.id,
        role_name=role.name,
        started_at=now(),
        status="in_progress",
    )
    db.add(session)
    answer = {
        "session_id": str(session.session_id),
        "role": {
            "id": role.id,
            "name": role.name,
            "aliases": role.aliases or [],
            "candidate_count": role.candidate_count,
        },
    }
    db.commit()
    return jsonify(answer)


@app.post("/api/scraper/queue/jobs")
def jobs():
    data = request.get_json()
    posted = data.get("jobs", [])
    found = select(ScrapeSession).where(ScrapeSession.session_id == uuid.UUID(data["session_id"]))
    session = db.scalars(found.where(ScrapeSession.scraper_key_id == g.scraper_key.id)).first()
    if session is None:
        return jsonify({"error": "Session not found or unauthorized"}), 400
    known = select(JobPosting.platform, JobPosting.external_job_id)
    known = known.where(JobPosting.external_job_id.in_([job["external_job_id"] for job in posted]))
    seen = {tuple(row) for row in db.execute(known)}
    fresh = []
    for job in posted:
        key = (job["platform"], job["external_job_id"])
        if key in seen:
            continue
        seen.add(key)
        row = JobPosting(**{name: job.get(name) for name in FIELDS})
        row.scraper_key_id = g.scraper_key.id
        row.scrape_session_id = session.session_id
        row.normalized_role_id = session.global_role_id
        fresh.append(row)
    db.add_all(fresh)
    session.completed_at = now()
    session.duration_seconds = int((session.completed_at - session.started_at).total_seconds())
    session.jobs_found = len(posted)
    session.jobs_imported = len(fresh)
    session.jobs_skipped = len(posted) - len(fresh)
    session.status = "completed"
    role = db.get(GlobalRole, session.global_role_id)
    role.queue_status = "completed"
    role.last_scraped_at = now()
    role.total_jobs_scraped += len(fresh)
    answer = {
        "session_id": str(session.session_id),
        "jobs_found": session.jobs_found,
        "jobs_imported": session.jobs_imported,
        "jobs_skipped": session.jobs_skipped,
        "duration_seconds": session.duration_seconds,
        "matching_triggered": bool(fresh),
    }
    db.commit()
    return jsonify(answer)


def prepare(roles, keys):
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    made = now()
    db.add_all(GlobalRole(name=f"Role {n}", candidate_count=n % 50, updated_at=made) for n in range(roles))
    for n in range(keys):
        db.add(ScraperApiKey(name=f"key {n}", key_hash=hashlib.sha256(f"key-{n}".encode()).hexdigest()))
    db.commit()


if __name__ == "__main__":
    prepare(int(sys.argv[1]), int(sys.argv[2]))
