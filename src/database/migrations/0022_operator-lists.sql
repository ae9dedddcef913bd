CREATE INDEX IF NOT EXISTS "audit_log_operator" ON "audit_log" USING btree ("id") WHERE (detail ->> 'operator') is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "satellites_created" ON "satellites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "satellites_origin_prefix" ON "satellites" USING btree ("origin" text_pattern_ops);