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
-- The lock first: a satellite that is being added is then either found by the update, or numbered after this change.
CREATE FUNCTION "number_satellites_of_account"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM satellite_registry FOR UPDATE;
	UPDATE satellites SET version = 0 WHERE account_id = NEW.id;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_handoff_change" AFTER UPDATE OF "handoff_required" ON "accounts" FOR EACH ROW WHEN (OLD.handoff_required IS DISTINCT FROM NEW.handoff_required) EXECUTE FUNCTION number_satellites_of_account();
