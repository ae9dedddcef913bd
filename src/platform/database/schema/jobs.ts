import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from '../columns/instant.js'

/** Work that only one replica may do at a time. `holder` is who may renew it, if it is renewed. */
export const leases = pgTable(
  'leases',
  { name: text('name').notNull(), until: instant('until').notNull(), holder: text('holder') },
  table => [primaryKey({ columns: [table.name] })],
)
