import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.js'

/**
 * What a user has logged in from: kinds of device, networks and devices. `value` is a name, a CIDR block or
 * the SHA-256 of a device id.
 */
export const knownDevices = pgTable(
  'familiar_clients',
  {
    userId: uuid('user_id').notNull(),
    kind: text('kind').$type<'device' | 'network' | 'device id'>().notNull(),
    value: text('value').notNull(),
    firstSeen: instant('first_seen').notNull(),
    lastSeen: instant('last_seen').notNull(),
  },
  table => [
    primaryKey({ columns: [table.userId, table.kind, table.value] }),
    // A login asks whether any user has a device id.
    index('familiar_clients_device_id').on(table.value).where(sql`${table.kind} = 'device id'`),
  ],
)
