CREATE INDEX IF NOT EXISTS "users_account_created" ON "users" USING btree ("account_id","created_at","id");--> statement-breakpoint
-- The one above begins with its column.
DROP INDEX "users_account";--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "billing_work_failed" ON "billing_work" USING btree ("due_at") WHERE attempts > 0;
