CREATE INDEX IF NOT EXISTS "accounts_delete_at" ON "accounts" USING btree ("delete_at");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "audit_log_account_action" ON "audit_log" USING btree ("account_id","action","id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "audit_log_account_outcome" ON "audit_log" USING btree ("account_id","outcome","id");