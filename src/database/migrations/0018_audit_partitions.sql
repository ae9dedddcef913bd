CREATE TABLE "audit_removed_ids" (
	"id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_retention" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"before" timestamp (3) with time zone NOT NULL,
	"below_id" bigint NOT NULL
);
--> statement-breakpoint
-- Of a partition, the name of the whole table.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only', coalesce(TG_ARGV[0], TG_TABLE_NAME);
END
$$;--> statement-breakpoint
-- Rows may be deleted once retention has said so, in a row of the log itself.
CREATE FUNCTION refuse_change_but_retention() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM audit_retention WHERE OLD.at < before) THEN RETURN OLD; END IF;
	RAISE EXCEPTION 'audit_log is append-only';
END
$$;--> statement-breakpoint
-- A seal may be deleted when its row was removed by retention.
CREATE FUNCTION refuse_change_of_seals() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' AND (EXISTS (SELECT FROM audit_retention WHERE OLD.audit_id < below_id)
		OR EXISTS (SELECT FROM audit_removed_ids WHERE id = OLD.audit_id)) THEN RETURN OLD; END IF;
	RAISE EXCEPTION 'audit_chain is append-only';
END
$$;--> statement-breakpoint
DROP TRIGGER audit_chain_append_only ON audit_chain;--> statement-breakpoint
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON audit_chain
	FOR EACH ROW EXECUTE FUNCTION refuse_change_of_seals();--> statement-breakpoint
-- The partitions of the log, each up to `until`; null for the one that takes what no other does, or while the log is not partitioned.
CREATE FUNCTION audit_partitions() RETURNS TABLE (name text, until timestamptz) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
	SELECT c.relname::text,
		CASE WHEN bound = 'DEFAULT' THEN NULL ELSE substring(bound FROM 'TO \(''([^'']+)''\)')::timestamptz END
	FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) bound
	WHERE i.inhparent = 'audit_log'::regclass
$$;--> statement-breakpoint
-- The log as it is becomes the first partition, of all before `border`, which a valid constraint must promise already: then no row is
-- read, and the table is locked for milliseconds. An empty log (`border` is null) begins without one. Does nothing when it is done.
CREATE FUNCTION partition_audit_log(border timestamptz) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	next_id bigint;
	definition text;
	definitions text[] := '{}';
	index_name name;
BEGIN
	LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE;
	IF (SELECT relkind FROM pg_class WHERE oid = 'audit_log'::regclass) = 'p' THEN RETURN; END IF;
	-- A sequence of an identity column goes with it, and partitions can have none before PostgreSQL 17.
	SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END INTO next_id FROM audit_log_id_seq;
	ALTER TABLE audit_log ALTER COLUMN id DROP IDENTITY;
	EXECUTE format('CREATE SEQUENCE audit_log_id_seq START %s', next_id);
	DROP TRIGGER audit_log_append_only ON audit_log;
	FOR index_name, definition IN
		SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
		WHERE x.indrelid = 'audit_log'::regclass AND NOT x.indisprimary
	LOOP
		definitions := definitions || definition;
		EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name, replace(index_name, 'audit_log', 'audit_log_first'));
	END LOOP;
	ALTER TABLE audit_log RENAME TO audit_log_first;
	CREATE TABLE audit_log (LIKE audit_log_first INCLUDING DEFAULTS) PARTITION BY RANGE (at);
	ALTER TABLE audit_log ALTER COLUMN id SET DEFAULT nextval('audit_log_id_seq');
	ALTER SEQUENCE audit_log_id_seq OWNED BY audit_log.id;
	FOREACH definition IN ARRAY definitions LOOP EXECUTE definition; END LOOP;
	IF border IS NULL THEN
		DROP TABLE audit_log_first;
	ELSE
		EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_first FOR VALUES FROM (MINVALUE) TO (%L)', border);
		ALTER TABLE audit_log_first DROP CONSTRAINT audit_log_before;
	END IF;
	-- So that an insert never fails.
	CREATE TABLE audit_log_other PARTITION OF audit_log (PRIMARY KEY (id)) DEFAULT;
	CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
		FOR EACH ROW EXECUTE FUNCTION refuse_change_but_retention();
	CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
		FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('audit_log');
	CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log_other
		FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('audit_log');
END
$$;--> statement-breakpoint
-- The partition of a month (in UTC) with the rows that were written before there was one; false if it exists or the first one covers it.
CREATE FUNCTION create_audit_partition(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	start timestamp := date_trunc('month', month AT TIME ZONE 'UTC');
	since timestamptz := start AT TIME ZONE 'UTC';
	until timestamptz := (start + interval '1 month') AT TIME ZONE 'UTC';
	partition text := 'audit_log_' || to_char(start, 'YYYY_MM');
BEGIN
	IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
	IF (SELECT relkind FROM pg_class WHERE oid = 'audit_log'::regclass) <> 'p' THEN RETURN false; END IF;
	IF EXISTS (SELECT FROM audit_partitions() p WHERE p.name = 'audit_log_first' AND p.until > since) THEN RETURN false; END IF;
	LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE;
	IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE audit_log INCLUDING DEFAULTS, PRIMARY KEY (id))', partition);
	ALTER TABLE audit_log_other DISABLE TRIGGER USER;
	EXECUTE format('WITH moved AS (DELETE FROM audit_log_other WHERE at >= %L AND at < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
		since, until, partition);
	ALTER TABLE audit_log_other ENABLE TRIGGER USER;
	EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, since, until);
	EXECUTE format('CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change(''audit_log'')', partition);
	RETURN true;
END
$$;--> statement-breakpoint
-- A log with rows is partitioned by a job, in steps (docs/operations.md).
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM audit_log) THEN
		PERFORM partition_audit_log(NULL);
		PERFORM create_audit_partition(now() + make_interval(months => n)) FROM generate_series(0, 3) n;
	END IF;
END $$;
