-- A database that has these tables from an earlier version of this example keeps them.

create table if not exists workspaces (
  id text primary key,
  name text not null,
  plan text not null,
  -- Higher limits that were arranged, in the place of the plan's.
  requests_per_minute integer,
  burst integer,
  billing_email text
);

-- Keys are random, so one round of SHA-256 is enough; no dump of the database has a key.
create table if not exists api_keys (
  sha256 bytea primary key,
  workspace_id text not null references workspaces on delete cascade,
  may_trigger boolean not null default true,
  revoked_at timestamptz
);

-- The actions of a playbook in order, <provider>.<action>; null waits for an approval.
create table if not exists playbooks (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  name text not null,
  description text not null default '',
  actions text[] not null,
  primary key (workspace_id, id)
);

create table if not exists providers (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  name text not null,
  primary key (workspace_id, id)
);

-- A run keeps the actions of its start, so that a change of the playbook changes no run. Inputs are json, not jsonb, which
-- has no \u0000.
create table if not exists runs (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  playbook_id text not null,
  inputs json not null,
  actions text[] not null,
  status text not null default 'running',
  started_at timestamptz not null default now(),
  -- When a worker goes on with it; null while it waits for an approval, and when it has ended.
  due_at timestamptz default now()
);
create index if not exists runs_due on runs (due_at) where due_at is not null;

create table if not exists steps (
  run_id text not null references runs on delete cascade,
  position integer not null,
  status text not null,
  capability text,
  primary key (run_id, position)
);
