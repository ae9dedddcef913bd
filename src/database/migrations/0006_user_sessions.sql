-- Ends of all sessions of a user: what they concern is recorded session by session from now on.
DELETE FROM "session_changes" WHERE "sid" IS NULL AND "granted" IS NULL;--> statement-breakpoint
ALTER TABLE "session_changes" DROP COLUMN "keep";--> statement-breakpoint
ALTER TABLE "session_changes" DROP COLUMN "at";--> statement-breakpoint
CREATE TABLE "session_store" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"generation" text NOT NULL,
	"is_initialized" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "user_sessions_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "session_changes_user";--> statement-breakpoint
ALTER TABLE "leases" ADD COLUMN "holder" text;--> statement-breakpoint
ALTER TABLE "session_changes" ADD COLUMN "recorded_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL;--> statement-breakpoint
CREATE INDEX "user_sessions_user" ON "user_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "user_sessions_expiry" ON "user_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "session_changes_grant" ON "session_changes" USING btree ("user_id") WHERE granted is not null;--> statement-breakpoint
INSERT INTO "user_sessions" ("sid", "user_id", "expires_at") SELECT "sid", "user_id", "expires_at" FROM "sessions" ORDER BY "created_at";
