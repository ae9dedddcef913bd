import type pg from 'pg'

/** Makes every event take this long to be committed; a connection that is lost meanwhile ends it. */
export async function slowCommits(database: pg.Pool | pg.Client, milliseconds: number): Promise<void> {
  await database.query(`
    create function commit_slowly() returns trigger language plpgsql
      as $$ begin perform pg_sleep(${milliseconds / 1000}); return null; end $$;
    create constraint trigger commit_slowly after insert on provider_events
      deferrable initially deferred for each row execute function commit_slowly();
    do $$ begin
      execute format('alter database %I set client_connection_check_interval = 10', current_database());
    end $$`)
}
