CREATE TABLE "billing_work" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"parked_at" timestamp (3) with time zone,
	"last_error" text
);
--> statement-breakpoint
ALTER TABLE "billing_customers" ALTER COLUMN "customer_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "provider_events" ALTER COLUMN "effect" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "provider_events" ALTER COLUMN "effect" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "entitled" jsonb;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "entitled_by" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "entitled_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD COLUMN "attempt" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "quantity" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "provider_events" ADD COLUMN "customer_id" text;--> statement-breakpoint
ALTER TABLE "provider_events" ADD COLUMN "event" jsonb;--> statement-breakpoint
ALTER TABLE "provider_events" ADD COLUMN "handled_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "quantity" integer;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "past_due_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "seats_wanted" integer;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "seats_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "entitled" jsonb;--> statement-breakpoint
CREATE INDEX "billing_work_due" ON "billing_work" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "accounts_entitled_by" ON "accounts" USING btree ("entitled_by");--> statement-breakpoint
CREATE INDEX "accounts_entitled_until" ON "accounts" USING btree ("entitled_until");--> statement-breakpoint
CREATE INDEX "provider_events_waiting" ON "provider_events" USING btree ("customer_id","created_at") WHERE effect is null;--> statement-breakpoint
CREATE INDEX "provider_events_received" ON "provider_events" USING btree ("received_at");