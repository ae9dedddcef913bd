CREATE TABLE "satellite_proofs" (
	"satellite_id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"method" text,
	"checked_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "satellite_registry" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" bigint NOT NULL,
	"rebuilt" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "satellites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"ceiling" jsonb NOT NULL,
	"login_mode" text NOT NULL,
	"session_seconds" integer,
	"branding" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"active_since" timestamp (3) with time zone,
	"version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "satellite_proofs" ADD CONSTRAINT "satellite_proofs_satellite_id_satellites_id_fk" FOREIGN KEY ("satellite_id") REFERENCES "public"."satellites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "satellites" ADD CONSTRAINT "satellites_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "satellite_proofs_checked" ON "satellite_proofs" USING btree ("checked_at");--> statement-breakpoint
CREATE UNIQUE INDEX "satellites_origin" ON "satellites" USING btree ("origin") WHERE state <> 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "satellites_account_origin" ON "satellites" USING btree ("account_id","origin");--> statement-breakpoint
CREATE INDEX "satellites_version" ON "satellites" USING btree ("version");--> statement-breakpoint
INSERT INTO "satellite_registry" ("version", "rebuilt") VALUES (0, 0);--> statement-breakpoint
-- The lock on the one row makes versions come in the order of commits, so a replica that has seen one has seen all before it.
CREATE FUNCTION "number_satellite_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE satellite_registry SET version = version + 1 RETURNING version INTO NEW.version;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE FUNCTION "number_satellite_removal"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE satellite_registry SET version = version + 1, rebuilt = version + 1;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "satellites_change" BEFORE INSERT OR UPDATE ON "satellites" FOR EACH ROW EXECUTE FUNCTION number_satellite_change();--> statement-breakpoint
CREATE TRIGGER "satellites_removal" AFTER DELETE ON "satellites" FOR EACH STATEMENT EXECUTE FUNCTION number_satellite_removal();
