// What was decided here, and why: docs/decisions/README.md, "Second factors"
import { Module } from '@nestjs/common'
import { AnomaliesModule } from '../anomalies/anomalies.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { LinksModule } from '../platform/one-time-tokens.js'
import { SecretsModule } from '../platform/secrets/secrets.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { FactorMails } from './factor-mails.js'
import { FactorResets } from './factor-resets.js'
import { PasskeysModule } from './passkeys.module.js'
import { RecoveryCodes } from './recovery-codes.js'
import { RememberedDevices } from './remembered-devices.js'
import { TotpFactors } from './totp.js'
import { UserFactors } from './user-factors.js'

const PROVIDERS = [FactorMails, FactorResets, RecoveryCodes, RememberedDevices, TotpFactors, UserFactors]

@Module({
  imports: [AnomaliesModule, AuditLogModule, LinksModule, PasskeysModule, SecretsModule, SessionsModule],
  providers: PROVIDERS,
  exports: [...PROVIDERS, PasskeysModule],
})
export class FactorsModule {}
