import { sql } from 'drizzle-orm'
import { parameter } from '../platform/database/statement.js'

/**
 * How many are kept for each user, those that were seen last. More than a person has: private windows make a new
 * device id at each login, and whoever knows the password can send any name of a device. Networks are what the
 * rate limits know a user by, so others must not easily push theirs out.
 */
const MAX_PER_USER = { device: 50, 'device id': 50, network: 1_000 } as const
const MAX_OF_KIND = sql.raw(
  `case kind ${Object.entries(MAX_PER_USER)
    .map(([kind, most]) => `when '${kind}' then ${most}`)
    .join(' ')} end`,
)

/** The result of {@link DEVICE_COLUMNS}. */
export interface KnownDeviceRow {
  /** Whether the user has ever logged in: after a long time everything is new, but it is not their first login. */
  readonly has_history: boolean
  readonly is_new_device: boolean
  readonly is_new_network: boolean
  readonly is_ours: boolean
  readonly is_known_device_id: boolean
  readonly latest_network: string | null
  readonly latest_seconds: number | null
}

const USER = sql`${parameter('device', 'user')}::uuid`
const PRESENTED = sql`${parameter('device', 'presented')}::text`
const NOW = sql`${parameter('device', 'now')}::timestamptz`
const LONG_AGO = sql`${parameter('device', 'longAgo')}::timestamptz`

/**
 * The parts of a `Statement` that record, if `found` has a row, what a login came from, and return what of it was
 * new. Their values are those of `device`, from `KnownDevices.seenAt`. Of two concurrent logins, only one is
 * reported as new. An unknown device id is replaced. One that belongs to another user is kept, since people share
 * browsers, and counts as new for this user.
 */
export const DEVICE_PARTS = sql`
  before as (
    select kind, value, last_seen from familiar_clients where user_id = ${USER} and last_seen >= ${LONG_AGO}
  ), device_id as (
    select case when is_ours then ${PRESENTED} else ${parameter('device', 'new')}::text end as value, is_ours
    from (select exists (
      select from familiar_clients
      where kind = 'device id' and value = ${PRESENTED} and last_seen >= ${LONG_AGO}
    ) as is_ours) as presented
  ), seen as (
    select 'device' as kind, ${parameter('device', 'device')}::text as value
    union all select 'network', ${parameter('device', 'network')}::text
    union all select 'device id', value from device_id where value is not null
  ), written as (
    insert into familiar_clients (user_id, kind, value, first_seen, last_seen)
    select ${USER}, kind, value, ${NOW}, ${NOW} from found, seen
    on conflict (user_id, kind, value) do update
      set last_seen = greatest(familiar_clients.last_seen, excluded.last_seen)
    returning kind, xmax = 0 as is_new
  ), forgotten as (
    delete from familiar_clients
    where exists (select from found) and user_id = ${USER} and (kind, value) not in (select kind, value from seen)
      and (last_seen < ${LONG_AGO} or (kind, value) in (
        select kind, value from (
          select kind, value, row_number() over (partition by kind order by last_seen desc, value) as place
          from before where (kind, value) not in (select kind, value from seen)
        ) as others where place >= ${MAX_OF_KIND}
      ))
  ), latest as (
    select value, last_seen from before where kind = 'network' order by last_seen desc limit 1
  )`
export const DEVICE_COLUMNS = sql`
  exists (select from familiar_clients where user_id = ${USER} and kind = 'device') as has_history,
  (select is_new from written where kind = 'device') as is_new_device,
  (select is_new from written where kind = 'network') as is_new_network,
  (select is_ours from device_id) as is_ours,
  exists (select from before where kind = 'device id' and value = ${PRESENTED}) as is_known_device_id,
  (select value from latest) as latest_network,
  (select extract(epoch from last_seen)::float8 from latest) as latest_seconds`
