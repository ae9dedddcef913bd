CREATE TABLE "satellite_removals" (
	"version" bigint PRIMARY KEY NOT NULL,
	"satellite_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"removed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "number_satellite_removal"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	forgotten bigint;
BEGIN
	UPDATE satellite_registry SET version = version + 1;
	INSERT INTO satellite_removals (version, satellite_id, origin) SELECT version, OLD.id, OLD.origin FROM satellite_registry;
	WITH gone AS (DELETE FROM satellite_removals WHERE removed_at < now() - interval '1 day' RETURNING version)
	SELECT max(version) INTO forgotten FROM gone;
	UPDATE satellite_registry SET rebuilt = forgotten WHERE rebuilt < forgotten;
	RETURN NULL;
END $$;--> statement-breakpoint
DROP TRIGGER "satellites_removal" ON "satellites";--> statement-breakpoint
CREATE TRIGGER "satellites_removal" AFTER DELETE ON "satellites" FOR EACH ROW EXECUTE FUNCTION number_satellite_removal();
