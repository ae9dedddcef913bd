import { query } from '../machine/stores.mjs'

/** The months that the rows of the audit log are spread over. */
const MONTHS = 24

/**
 * So many rows over two years, half of them of this account and the rest of 5,000 others. Indexes are made afterwards,
 * which is several times as fast.
 */
export async function fillAuditLog(url, rows, accountId) {
  const { rows: indexes } = await query(url, `select indexdef from pg_indexes where tablename = 'audit_log'`)
  const { rows: names } = await query(url, `select indexname from pg_indexes where tablename = 'audit_log'`)
  await query(
    url,
    `select create_audit_partition(now() - make_interval(months => n)) from generate_series(1, ${MONTHS}) n`,
  )
  await query(url, `drop index ${names.map(({ indexname }) => indexname).join(', ')}`)
  await query(
    url,
    `set synchronous_commit = off;
     insert into audit_log (at, action, outcome, user_id, account_id, sid, ip, user_agent, origin, request_id, detail)
     select now() - interval '2 years' + n * interval '2 years' / ${rows},
       (array['login', 'login', 'login', 'login', 'logout', 'session.revoke', 'webhook', 'permissions.change', 'refresh',
         'profile.change'])[1 + n % 10],
       case when n % 23 = 0 then 'failed' when n % 31 = 0 then 'refused' else 'ok' end,
       ('00000000-0000-4000-8000-' || lpad((n % 20000)::text, 12, '0'))::uuid,
       case when n % 2 = 0 then '${accountId}'::uuid
         else ('00000000-0000-4000-9000-' || lpad((n % 5000)::text, 12, '0'))::uuid end,
       md5(n::text), '203.0.113.' || n % 255, '(X11; Linux x86_64; rv:140.0) Firefox/140.0', 'https://www.main-site.example',
       md5(n::text), '{"source": "main", "methods": ["pwd"]}'
     from generate_series(1, ${rows}) n`,
  )
  for (const { indexdef } of indexes) await query(url, indexdef.replace(' ON ONLY ', ' ON '))
  await query(url, 'analyze audit_log')
}

/** Members of the account, besides its owner. */
export async function addMembers(url, members, accountId) {
  await query(
    url,
    `insert into users (id, account_id, email, role, granted, created_at)
     select gen_random_uuid(), '${accountId}', 'member-' || n || '@customer.example', 'member',
       '{"payments": false, "accountSettings": false, "teamManagement": false, "dataEntry": true, "viewReports": true}',
       now() - n * interval '1 minute'
     from generate_series(1, ${members}) n;
     analyze users`,
  )
}

/** Events that wait, ten of each customer, all of whom are due. */
export async function addEvents(url, events) {
  const customer = `'cus_' || lpad((n / 10)::text, 10, '0')`
  await query(
    url,
    `set synchronous_commit = off;
     insert into provider_events (id, type, customer_id, event, created_at, received_at)
     select 'evt_' || n, 'customer.subscription.updated', ${customer},
       jsonb_build_object('id', 'evt_' || n, 'type', 'customer.subscription.updated', 'data', jsonb_build_object('object',
         jsonb_build_object('id', 'sub_' || n / 10, 'object', 'subscription', 'customer', ${customer}, 'status', 'active'))),
       now() - interval '1 hour' + n * interval '1 ms', now()
     from generate_series(1, ${events}) n;
     insert into billing_work (customer_id, due_at)
     select distinct ${customer}, now() - interval '1 hour' + (n / 10) * interval '1 ms' from generate_series(1, ${events}) n;
     analyze provider_events, billing_work`,
  )
}
