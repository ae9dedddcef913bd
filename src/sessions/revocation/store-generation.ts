import { randomBytes } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { Database } from '../../database/database.js'
import { sessionStore } from '../../database/schema.js'

/** Which Redis holds the sessions of this database. */
@Injectable()
export class StoreGeneration {
  private known: string | undefined

  constructor(private readonly database: Database) {}

  /** The generation in its markers; made when a Redis is used for the first time. */
  async current(): Promise<string> {
    this.known ??= (await this.read()).generation
    return this.known
  }

  /** Whether every marker has been written once, so that a missing one means a loss. */
  async isInitialized(): Promise<boolean> {
    return (await this.read()).isInitialized
  }

  async setInitialized(): Promise<void> {
    await this.database.run(db => db.update(sessionStore).set({ isInitialized: true }))
  }

  private async read(): Promise<typeof sessionStore.$inferSelect> {
    const select = () => this.database.run(db => db.select().from(sessionStore))
    const [row] = await select()
    if (row) return row
    const generation = randomBytes(6).toString('base64url')
    await this.database.run(db => db.insert(sessionStore).values({ generation }).onConflictDoNothing())
    // Another replica may have been first.
    return (await select())[0] as typeof sessionStore.$inferSelect
  }
}
