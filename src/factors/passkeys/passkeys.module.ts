// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { AuditLogModule } from '../../platform/audit/audit-log.module.js'
import { LinksModule } from '../../platform/one-time-tokens.js'
import { SecretsModule } from '../../platform/secrets/secrets.js'
import { PasskeyAssertions } from './passkey-assertions.js'
import { PasskeyChallenges } from './passkey-challenges.js'
import { PasskeyRegistration } from './passkey-registration.js'
import { PasskeySites } from './passkey-sites.js'
import { PasskeyStartCheck } from './passkey-start-check.js'
import { Passkeys } from './passkeys.js'

@Module({
  imports: [AuditLogModule, LinksModule, SecretsModule],
  providers: [
    PasskeyAssertions,
    PasskeyChallenges,
    PasskeyRegistration,
    PasskeySites,
    PasskeyStartCheck,
    Passkeys,
  ],
  exports: [PasskeyAssertions, PasskeyChallenges, PasskeyRegistration, PasskeySites, Passkeys],
})
export class PasskeysModule {}
