-- How often the current step of a run was tried without success.
alter table runs add column if not exists attempts integer not null default 0;
