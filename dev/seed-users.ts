import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { canonicalEmail, type Email } from '../src/users/email.js'
import { UserCreation } from '../src/users/user-changes.js'
import { Users } from '../src/users/users.js'

export const SEED_PASSWORD = 'correct horse battery staple'
export const SEED_OWNER = canonicalEmail('owner@example.com') as Email
export const SEED_MEMBER = canonicalEmail('member@example.com') as Email

/** Creates an account with an owner and a member for trying things out; does nothing if they exist. */
export async function seedUsers(app: NestFastifyApplication): Promise<void> {
  const users = app.get(Users)
  const creation = app.get(UserCreation)
  const owner =
    (await users.findByEmail(SEED_OWNER)) ?? (await creation.createAccount(SEED_OWNER, SEED_PASSWORD))
  if (!(await users.findByEmail(SEED_MEMBER)))
    await creation.createMember(owner.accountId, SEED_MEMBER, SEED_PASSWORD)
}
