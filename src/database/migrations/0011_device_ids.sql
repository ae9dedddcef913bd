CREATE INDEX "familiar_clients_device_id" ON "familiar_clients" USING btree ("value") WHERE "familiar_clients"."kind" = 'device id';
