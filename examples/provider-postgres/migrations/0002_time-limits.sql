-- Limits of the server, for sessions that begin from now on. They are settings of the database and not startup parameters of
-- the connections, which PgBouncer refuses. A migration that takes longer begins with `set local statement_timeout = 0`.
do $$ begin
  execute format('alter database %I set statement_timeout = %L', current_database(), '4s');
  -- What a process holds that is frozen or cut off.
  execute format('alter database %I set idle_in_transaction_session_timeout = %L', current_database(), '10s');
end $$;
