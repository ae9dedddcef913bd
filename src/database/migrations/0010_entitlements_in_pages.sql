ALTER TABLE "accounts" ADD COLUMN "users_behind" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "accounts_users_behind" ON "accounts" USING btree ("id") WHERE users_behind;