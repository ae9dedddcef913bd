CREATE TABLE "session_links" (
	"child_sid" text PRIMARY KEY NOT NULL,
	"parent_sid" text NOT NULL,
	"user_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "handoff_required" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
CREATE INDEX "session_links_parent" ON "session_links" USING btree ("parent_sid");--> statement-breakpoint
CREATE INDEX "session_links_user" ON "session_links" USING btree ("user_id","origin");--> statement-breakpoint
CREATE INDEX "session_links_expiry" ON "session_links" USING btree ("expires_at");--> statement-breakpoint
-- Whoever sets a version has taken it from the registry.
DROP TRIGGER "satellites_change" ON "satellites";--> statement-breakpoint
CREATE TRIGGER "satellites_addition" BEFORE INSERT ON "satellites" FOR EACH ROW EXECUTE FUNCTION number_satellite_change();--> statement-breakpoint
CREATE TRIGGER "satellites_change" BEFORE UPDATE ON "satellites" FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION number_satellite_change();--> statement-breakpoint
-- The satellites first, as whoever changes one does. Then the registry: a satellite that is being added is either found by
-- the update, or numbered after this change.
CREATE FUNCTION "number_satellites_of_account"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last bigint;
	changed bigint;
BEGIN
	PERFORM FROM satellites WHERE account_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
	SELECT version INTO last FROM satellite_registry FOR UPDATE;
	UPDATE satellites SET version = last + numbered.position
		FROM (SELECT id, row_number() OVER (ORDER BY id) AS position FROM satellites WHERE account_id = NEW.id) numbered
		WHERE satellites.id = numbered.id;
	GET DIAGNOSTICS changed = ROW_COUNT;
	UPDATE satellite_registry SET version = version + changed;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_handoff_change" AFTER UPDATE OF "handoff_required" ON "accounts" FOR EACH ROW WHEN (OLD.handoff_required IS DISTINCT FROM NEW.handoff_required) EXECUTE FUNCTION number_satellites_of_account();
