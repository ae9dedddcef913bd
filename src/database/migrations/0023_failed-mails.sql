CREATE TABLE "failed_mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"link_hash" text,
	"failed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_error" text NOT NULL,
	"is_refused" boolean NOT NULL,
	"claimed_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "failed_mails_failed" ON "failed_mails" USING btree ("failed_at","id");--> statement-breakpoint
CREATE INDEX "failed_mails_expiry" ON "failed_mails" USING btree ("expires_at");