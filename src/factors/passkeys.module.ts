// What was decided here, and why: docs/decisions/passkeys-belong-to-the-main-site.md
import { Module, type OnModuleInit } from '@nestjs/common'
import { ne } from 'drizzle-orm'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { SettingsError } from '../platform/config/read-settings.js'
import { Database } from '../platform/database/database.js'
import { passkeys } from '../platform/database/schema/factors.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { SecretsModule } from '../platform/secrets/secrets.js'
import { PasskeyAssertions } from './passkey-assertions.js'
import { PasskeyRegistration } from './passkey-registration.js'
import { PasskeySites, Passkeys } from './passkeys.js'
import { PasskeyChallenges } from './webauthn.js'

const PROVIDERS = [PasskeyAssertions, PasskeyChallenges, PasskeyRegistration, PasskeySites, Passkeys]

/** Passkeys belong to one domain forever, which is checked at the start. */
@Module({
  imports: [AuditLogModule, LinksModule, SecretsModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class PasskeysModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sites: PasskeySites,
  ) {}

  /** Throws a {@link SettingsError} while there are passkeys of another domain, whose users could not log in. */
  async onModuleInit(): Promise<void> {
    const { rpId } = this.sites
    const [other] = await this.database.run(db =>
      db.select({ rpId: passkeys.rpId }).from(passkeys).where(ne(passkeys.rpId, rpId)).limit(1),
    )
    if (!other) return
    throw new SettingsError([
      `PASSKEY_RP_ID is ${rpId}, but there are passkeys of ${other.rpId}, which would not work any more: ` +
        `set PASSKEY_RP_ID=${other.rpId} (docs/operations/protection.md, Passkeys)`,
    ])
  }
}
