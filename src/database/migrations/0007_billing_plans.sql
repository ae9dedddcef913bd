ALTER TABLE "billing_customers" ADD COLUMN "told_name" text;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD COLUMN "told_email" text;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD COLUMN "had_trial" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "trial_days" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "first_payment_failed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "surplus" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "last_entitled" jsonb;--> statement-breakpoint
UPDATE "subscriptions" SET "ends_at" = "current_period_end" WHERE "cancel_at_period_end";--> statement-breakpoint
UPDATE "subscriptions" SET "last_entitled" = "accounts"."entitled" FROM "accounts"
  WHERE "accounts"."id" = "subscriptions"."account_id" AND "accounts"."entitled_by" IS NOT NULL
  AND "subscriptions"."status" IN ('trialing', 'active');
