import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from '../columns/instant.js'

/** How much of a shared hourly budget has been used. */
export const hourlyBudgets = pgTable(
  'hourly_budgets',
  { name: text('name').notNull(), hour: instant('hour').notNull(), used: integer('used').notNull() },
  table => [primaryKey({ columns: [table.name, table.hour] })],
)
