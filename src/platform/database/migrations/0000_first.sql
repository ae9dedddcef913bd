CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"delete_at" timestamp (3) with time zone,
	"entitled" jsonb,
	"entitled_by" text,
	"limits" jsonb,
	"entitled_until" timestamp (3) with time zone,
	"handoff_required" text DEFAULT 'none' NOT NULL,
	"second_factor" text DEFAULT 'off' NOT NULL,
	"second_factor_from" timestamp (3) with time zone,
	"second_factor_enforced" boolean DEFAULT false NOT NULL,
	"payment_step_up_minutes" integer,
	"idle_seconds" integer
);
--> statement-breakpoint
CREATE TABLE "ownership_transfers" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"from_user_id" uuid NOT NULL,
	"to_user_id" uuid NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"ready_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"accepted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"language" text,
	"role" text NOT NULL,
	"granted" jsonb NOT NULL,
	"satellites" text[],
	"password_hash" text,
	"has_second_factor" boolean DEFAULT false NOT NULL,
	"must_enrol" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"disabled_by" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"invited_by" uuid,
	"last_login_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "familiar_clients" (
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"first_seen" timestamp (3) with time zone NOT NULL,
	"last_seen" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "familiar_clients_user_id_kind_value_pk" PRIMARY KEY("user_id","kind","value")
);
--> statement-breakpoint
CREATE TABLE "audit_chain" (
	"position" bigint PRIMARY KEY NOT NULL,
	"audit_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"sealed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- Its partitions have primary keys of their own: that of a partitioned table would have to contain "at".
CREATE SEQUENCE "audit_log_id_seq";--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint DEFAULT nextval('audit_log_id_seq') NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"action" text NOT NULL,
	"outcome" text NOT NULL,
	"user_id" uuid,
	"account_id" uuid,
	"sid" text,
	"ip" text,
	"user_agent" text,
	"origin" text,
	"request_id" text,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL
) PARTITION BY RANGE ("at");
--> statement-breakpoint
ALTER SEQUENCE "audit_log_id_seq" OWNED BY "audit_log"."id";
--> statement-breakpoint
CREATE TABLE "audit_removed_ids" (
	"id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_retention" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"before" timestamp (3) with time zone NOT NULL,
	"below_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refusal_counts" (
	"minute" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"network" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refusal_counts_minute_kind_network_pk" PRIMARY KEY("minute","kind","network")
);
--> statement-breakpoint
CREATE TABLE "billing_customers" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"customer_id" text,
	"attempt" integer DEFAULT 1 NOT NULL,
	"provider_account" text,
	"is_live" boolean,
	"told_name" text,
	"told_email" text,
	"told_language" text,
	"had_trial" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_work" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"claim" uuid,
	"claimed_until" timestamp (3) with time zone,
	"is_routine" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"parked_at" timestamp (3) with time zone,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"price_id" text NOT NULL,
	"quantity" integer DEFAULT 1 NOT NULL,
	"return_url" text NOT NULL,
	"trial_days" integer DEFAULT 0 NOT NULL,
	"is_open" boolean DEFAULT true NOT NULL,
	"provider_id" text,
	"url" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"customer_id" text,
	"event" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"handled_at" timestamp (3) with time zone,
	"effect" text
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"provider_id" text NOT NULL,
	"status" text NOT NULL,
	"price_id" text,
	"current_period_end" timestamp (3) with time zone,
	"cancel_at_period_end" boolean NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"first_payment" text,
	"confirm_url" text,
	"surplus" text[] DEFAULT '{}' NOT NULL,
	"last_entitled" jsonb,
	"quantity" integer,
	"past_due_since" timestamp (3) with time zone,
	"seats_wanted" integer,
	"seats_version" integer DEFAULT 0 NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hourly_budgets" (
	"name" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "hourly_budgets_name_hour_pk" PRIMARY KEY("name","hour")
);
--> statement-breakpoint
CREATE TABLE "factor_resets" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"requested_by" uuid,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"reset_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"rp_id" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"is_backup_eligible" boolean NOT NULL,
	"is_backed_up" boolean NOT NULL,
	"aaguid" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "remembered_devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "totp_factors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"last_step" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "leases_name_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "one_time_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"purpose" text NOT NULL,
	"email" text NOT NULL,
	"user_id" uuid,
	"account_id" uuid,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "hourly_figures" (
	"hour" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"logins" integer NOT NULL,
	"second_factors" integer NOT NULL,
	"failed_logins" integer NOT NULL,
	"sign_ups" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_passkeys" (
	"credential_id" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"public_key" text NOT NULL,
	"is_backup_eligible" boolean NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"totp_secret" text NOT NULL,
	"last_step" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "satellite_proofs" (
	"satellite_id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"method" text,
	"checked_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "satellite_registry" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" bigint NOT NULL,
	"rebuilt" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "satellite_removals" (
	"version" bigint PRIMARY KEY NOT NULL,
	"satellite_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"removed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "satellites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"suspended_by" text,
	"ceiling" jsonb NOT NULL,
	"login_mode" text NOT NULL,
	"second_factor" text DEFAULT 'handoff' NOT NULL,
	"session_seconds" integer,
	"idle_seconds" integer,
	"branding" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"active_since" timestamp (3) with time zone,
	"version" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "session_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sid" text,
	"user_id" uuid,
	"account_id" uuid,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_copies" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"generation" text NOT NULL,
	"written_by" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"timeline" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_links" (
	"child_sid" text PRIMARY KEY NOT NULL,
	"parent_sid" text NOT NULL,
	"user_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sessions_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"source" text NOT NULL,
	"origin" text,
	"ip" text NOT NULL,
	"user_agent" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_idle" boolean DEFAULT false NOT NULL,
	"reauthenticated_at" timestamp (3) with time zone,
	"amr" integer NOT NULL,
	"auth_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ownership_transfers" ADD CONSTRAINT "ownership_transfers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD CONSTRAINT "billing_customers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "factor_resets" ADD CONSTRAINT "factor_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "remembered_devices" ADD CONSTRAINT "remembered_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totp_factors" ADD CONSTRAINT "totp_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_passkeys" ADD CONSTRAINT "operator_passkeys_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "satellite_proofs" ADD CONSTRAINT "satellite_proofs_satellite_id_satellites_id_fk" FOREIGN KEY ("satellite_id") REFERENCES "public"."satellites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "satellites" ADD CONSTRAINT "satellites_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_name_prefix" ON "accounts" USING btree (lower("name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "accounts_entitled_by" ON "accounts" USING btree ("entitled_by");--> statement-breakpoint
CREATE INDEX "accounts_entitled_until" ON "accounts" USING btree ("entitled_until");--> statement-breakpoint
CREATE INDEX "accounts_delete_at" ON "accounts" USING btree ("delete_at");--> statement-breakpoint
CREATE INDEX "accounts_second_factor" ON "accounts" USING btree ("second_factor_from") WHERE second_factor <> 'off' and not second_factor_enforced;--> statement-breakpoint
CREATE INDEX "ownership_transfers_ready" ON "ownership_transfers" USING btree ("ready_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE INDEX "users_email_prefix" ON "users" USING btree ("email" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "users_account_created" ON "users" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "users_account_name" ON "users" USING btree ("account_id",lower((normalize(regexp_replace(normalize(coalesce("name", "email"), NFD), '[\u0300-\u036f]', '', 'g'), NFC)) collate "C"),"id");--> statement-breakpoint
CREATE INDEX "users_account_login" ON "users" USING btree ("account_id",coalesce("last_login_at", 'epoch'::timestamptz),"id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_owner" ON "users" USING btree ("account_id") WHERE role = 'owner';--> statement-breakpoint
CREATE INDEX "familiar_clients_device_id" ON "familiar_clients" USING btree ("value") WHERE "familiar_clients"."kind" = 'device id';--> statement-breakpoint
CREATE UNIQUE INDEX "audit_chain_audit" ON "audit_chain" USING btree ("audit_id");--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_account_action" ON "audit_log" USING btree ("account_id","action","id");--> statement-breakpoint
CREATE INDEX "audit_log_account_outcome" ON "audit_log" USING btree ("account_id","outcome","id");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("id") WHERE (detail ->> 'operator') is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "billing_customers_customer" ON "billing_customers" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "billing_work_due" ON "billing_work" USING btree ("is_routine","due_at");--> statement-breakpoint
CREATE INDEX "billing_work_failed" ON "billing_work" USING btree ("due_at") WHERE attempts > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "checkouts_open" ON "checkouts" USING btree ("account_id") WHERE is_open;--> statement-breakpoint
CREATE INDEX "checkouts_provider" ON "checkouts" USING btree ("provider_id");--> statement-breakpoint
CREATE INDEX "provider_events_waiting" ON "provider_events" USING btree ("customer_id","created_at") WHERE effect is null;--> statement-breakpoint
CREATE INDEX "provider_events_received" ON "provider_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "provider_events_oldest" ON "provider_events" USING btree ("received_at") WHERE effect is null;--> statement-breakpoint
CREATE INDEX "factor_resets_due" ON "factor_resets" USING btree ("reset_at");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "passkeys_rp" ON "passkeys" USING btree ("rp_id");--> statement-breakpoint
CREATE UNIQUE INDEX "remembered_devices_hash" ON "remembered_devices" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "remembered_devices_user" ON "remembered_devices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "remembered_devices_expiry" ON "remembered_devices" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "one_time_tokens_hash" ON "one_time_tokens" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "one_time_tokens_email" ON "one_time_tokens" USING btree ("email","purpose");--> statement-breakpoint
CREATE INDEX "one_time_tokens_user" ON "one_time_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "one_time_tokens_account" ON "one_time_tokens" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "one_time_tokens_expiry" ON "one_time_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "failed_mails_failed" ON "failed_mails" USING btree ("failed_at","id");--> statement-breakpoint
CREATE INDEX "failed_mails_expiry" ON "failed_mails" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_operator" ON "operator_sessions" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_sessions_expiry" ON "operator_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_email" ON "operators" USING btree ("email");--> statement-breakpoint
CREATE INDEX "satellite_proofs_checked" ON "satellite_proofs" USING btree ("checked_at");--> statement-breakpoint
CREATE UNIQUE INDEX "satellites_origin" ON "satellites" USING btree ("origin") WHERE state <> 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "satellites_account_origin" ON "satellites" USING btree ("account_id","origin");--> statement-breakpoint
CREATE INDEX "satellites_version" ON "satellites" USING btree ("version");--> statement-breakpoint
CREATE INDEX "satellites_created" ON "satellites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "satellites_origin_prefix" ON "satellites" USING btree ("origin" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "satellites_preview_parent" ON "satellites" USING btree (substring("origin" from position('.' in "origin") + 1)) WHERE kind = 'preview';--> statement-breakpoint
CREATE INDEX "session_links_parent" ON "session_links" USING btree ("parent_sid");--> statement-breakpoint
CREATE INDEX "session_links_user" ON "session_links" USING btree ("user_id","origin");--> statement-breakpoint
CREATE INDEX "session_links_expiry" ON "session_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "session_changes_xid" ON "session_changes" USING btree ("xid");--> statement-breakpoint
CREATE INDEX "session_changes_recorded" ON "session_changes" USING btree ("recorded_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint

-- The audit log is append-only, but for what retention removes.
-- Of a partition, the name of the whole table.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only', coalesce(TG_ARGV[0], TG_TABLE_NAME);
END
$$;--> statement-breakpoint
-- Rows may be deleted once retention has said so, in a row of the log itself.
CREATE FUNCTION refuse_change_but_retention() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' AND EXISTS (SELECT FROM audit_retention WHERE OLD.at < before) THEN RETURN OLD; END IF;
	RAISE EXCEPTION 'audit_log is append-only';
END
$$;--> statement-breakpoint
-- A seal may be deleted when its row was removed by retention.
CREATE FUNCTION refuse_change_of_seals() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' AND (EXISTS (SELECT FROM audit_retention WHERE OLD.audit_id < below_id)
		OR EXISTS (SELECT FROM audit_removed_ids WHERE id = OLD.audit_id)) THEN RETURN OLD; END IF;
	RAISE EXCEPTION 'audit_chain is append-only';
END
$$;--> statement-breakpoint
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
	FOR EACH ROW EXECUTE FUNCTION refuse_change_but_retention();--> statement-breakpoint
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('audit_log');--> statement-breakpoint
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON audit_chain
	FOR EACH ROW EXECUTE FUNCTION refuse_change_of_seals();--> statement-breakpoint
CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();--> statement-breakpoint
-- So that an insert never fails.
CREATE TABLE audit_log_other PARTITION OF audit_log (PRIMARY KEY (id)) DEFAULT;--> statement-breakpoint
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log_other
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('audit_log');--> statement-breakpoint
-- The partitions of the log, each up to `until`; null for the one that takes what no other does.
CREATE FUNCTION audit_partitions() RETURNS TABLE (name text, until timestamptz) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
	SELECT c.relname::text,
		CASE WHEN bound = 'DEFAULT' THEN NULL ELSE substring(bound FROM 'TO \(''([^'']+)''\)')::timestamptz END
	FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) bound
	WHERE i.inhparent = 'audit_log'::regclass
$$;--> statement-breakpoint
-- The partition of a month (in UTC) with the rows that were written before there was one; false if it exists.
CREATE FUNCTION create_audit_partition(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	start timestamp := date_trunc('month', month AT TIME ZONE 'UTC');
	since timestamptz := start AT TIME ZONE 'UTC';
	until timestamptz := (start + interval '1 month') AT TIME ZONE 'UTC';
	partition text := 'audit_log_' || to_char(start, 'YYYY_MM');
BEGIN
	IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
	LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE;
	IF to_regclass(partition) IS NOT NULL THEN RETURN false; END IF;
	EXECUTE format('CREATE TABLE %I (LIKE audit_log INCLUDING DEFAULTS, PRIMARY KEY (id))', partition);
	ALTER TABLE audit_log_other DISABLE TRIGGER USER;
	EXECUTE format('WITH moved AS (DELETE FROM audit_log_other WHERE at >= %L AND at < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
		since, until, partition);
	ALTER TABLE audit_log_other ENABLE TRIGGER USER;
	EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, since, until);
	EXECUTE format('CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change(''audit_log'')', partition);
	RETURN true;
END
$$;--> statement-breakpoint
SELECT create_audit_partition(now() + make_interval(months => n)) FROM generate_series(0, 3) n;--> statement-breakpoint

-- Every change of a satellite has a version, by which replicas find what they have not seen.
INSERT INTO "satellite_registry" ("version", "rebuilt") VALUES (0, 0);--> statement-breakpoint
-- The lock on the one row makes versions come in the order of commits, so a replica that has seen one has seen all before it.
CREATE FUNCTION "number_satellite_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE satellite_registry SET version = version + 1 RETURNING version INTO NEW.version;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "satellites_addition" BEFORE INSERT ON "satellites" FOR EACH ROW EXECUTE FUNCTION number_satellite_change();--> statement-breakpoint
-- Whoever sets a version has taken it from the registry.
CREATE TRIGGER "satellites_change" BEFORE UPDATE ON "satellites" FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION number_satellite_change();--> statement-breakpoint
CREATE FUNCTION "number_satellite_removal"() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER "satellites_removal" AFTER DELETE ON "satellites" FOR EACH ROW EXECUTE FUNCTION number_satellite_removal();--> statement-breakpoint
-- The satellites first, as whoever changes one does. Then the registry: a satellite that is being added is either found by
-- the update, or numbered after this change.
CREATE FUNCTION "number_satellites_of_account"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last bigint;
	changed bigint;
BEGIN
	PERFORM FROM satellites WHERE account_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
	SELECT version INTO last FROM satellite_registry FOR UPDATE;
	UPDATE satellites SET version = last + numbered.position
		FROM (SELECT id, row_number() OVER (ORDER BY id) AS position FROM satellites WHERE account_id = NEW.id) numbered
		WHERE satellites.id = numbered.id;
	GET DIAGNOSTICS changed = ROW_COUNT;
	UPDATE satellite_registry SET version = version + changed;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "accounts_handoff_change" AFTER UPDATE OF "handoff_required" ON "accounts" FOR EACH ROW WHEN (OLD.handoff_required IS DISTINCT FROM NEW.handoff_required) EXECUTE FUNCTION number_satellites_of_account();--> statement-breakpoint

-- Whom a requirement concerns, by their role and what they were granted.
CREATE FUNCTION "needs_second_factor"(requirement text, role text, granted jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE requirement
		WHEN 'everyone' THEN true
		WHEN 'payments' THEN (granted ->> 'payments')::boolean
		WHEN 'managers' THEN role = 'owner' OR (granted ->> 'payments')::boolean
			OR (granted ->> 'accountSettings')::boolean OR (granted ->> 'teamManagement')::boolean
		ELSE false
	END
$$;--> statement-breakpoint
-- Nobody who adds or changes a user can forget it. Whoever begins to enforce a requirement locks the account, and then updates its users.
CREATE FUNCTION "set_must_enrol"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	NEW.must_enrol := NOT NEW.has_second_factor AND EXISTS (
		SELECT FROM accounts
		WHERE id = NEW.account_id AND second_factor_enforced AND needs_second_factor(second_factor, NEW.role, NEW.granted)
	);
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_must_enrol" BEFORE INSERT OR UPDATE OF "role", "granted", "has_second_factor", "must_enrol" ON "users" FOR EACH ROW EXECUTE FUNCTION set_must_enrol();
