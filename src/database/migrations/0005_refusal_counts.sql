CREATE TABLE "hourly_budgets" (
	"name" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "hourly_budgets_name_hour_pk" PRIMARY KEY("name","hour")
);
--> statement-breakpoint
CREATE TABLE "refusal_counts" (
	"minute" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"network" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refusal_counts_minute_kind_network_pk" PRIMARY KEY("minute","kind","network")
);
