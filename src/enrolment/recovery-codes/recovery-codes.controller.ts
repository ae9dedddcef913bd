import { Controller, Injectable, Post } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { FactorMails } from '../../factors/factor-mails.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { Documented } from '../../platform/http/endpoint.js'
import { MainSite } from '../../sessions/guards/protection.decorators.js'
import { ContainsDamage } from '../../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../../sessions/session-actor.js'
import { FactorAuthority } from '../factor-authority.js'
import { FactorConsequences } from '../factor-changes.js'

class RecoveryCodesAnswer {
  @ApiProperty({
    type: [String],
    description: 'Ten, which are not shown again',
    example: ['7K3M-9XQ2-VB4N-H8TE'],
  })
  recoveryCodes!: readonly string[]
}

const ReplaceCodesDocs = () =>
  Documented({
    summary: 'Make new recovery codes',
    description:
      'Each logs in once in place of another second factor. The earlier ones stop working, and all remembered devices are ' +
      'forgotten. The user is mailed.',
    status: 201,
    answer: 'The codes',
    type: RecoveryCodesAnswer,
    refusals: ['SECOND_FACTOR_MISSING', 'DATABASE_UNAVAILABLE'],
  })

@Injectable()
export class RecoveryCodeReplacement {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly consequences: FactorConsequences,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: FactorMails,
  ) {}

  /** Throws `SECOND_FACTOR_MISSING` for a user who has no factor, and like {@link FactorAuthority}. */
  async replace(actor: SessionActor): Promise<string[]> {
    const { codes, mail } = await this.database.transaction(async transaction => {
      const user = await this.authority.lock(transaction, actor)
      if (!user.hasSecondFactor) throw new ApiError('SECOND_FACTOR_MISSING')
      await this.auditLog.record(transaction, auditEvent(actor, 'recovery-codes.create'))
      const mail = await this.mails.recoveryCodesMade(transaction, actor)
      return { codes: await this.consequences.ofReplacingCodes(transaction, user), mail }
    })
    mail()
    return codes
  }
}

@ApiTags('Second factors')
@Controller('api/second-factor/recovery-codes')
export class RecoveryCodesController {
  constructor(private readonly replacement: RecoveryCodeReplacement) {}

  @ContainsDamage()
  @Post()
  @MainSite({ reauthenticated: true })
  @ReplaceCodesDocs()
  async replace(@CurrentActor() actor: SessionActor) {
    return { recoveryCodes: await this.replacement.replace(actor) }
  }
}
