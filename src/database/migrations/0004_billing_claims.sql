DROP INDEX "billing_work_due";--> statement-breakpoint
ALTER TABLE "billing_customers" ADD COLUMN "provider_account" text;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD COLUMN "is_live" boolean;--> statement-breakpoint
ALTER TABLE "billing_work" ADD COLUMN "claim" uuid;--> statement-breakpoint
ALTER TABLE "billing_work" ADD COLUMN "is_routine" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "billing_work_due" ON "billing_work" USING btree ("is_routine","due_at");