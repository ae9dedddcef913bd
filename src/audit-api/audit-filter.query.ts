import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsDate, IsIn, IsOptional, IsUUID } from 'class-validator'
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditOutcome } from '../audit/audit-event.js'
import { ParseText } from '../http/parse-text.js'
import { asInstant } from './instant.js'

const A_TIME = '$property must be a time such as 2026-11-21T10:00:00Z'

/** Which rows of the audit log; all conditions must hold. */
export class AuditFilterQuery {
  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'Only entries that concern this user' })
  @IsUUID()
  @IsOptional()
  user?: string

  @ApiPropertyOptional({ enum: AUDIT_ACTIONS })
  @IsIn(AUDIT_ACTIONS)
  @IsOptional()
  action?: AuditAction

  @ApiPropertyOptional({ enum: AUDIT_OUTCOMES })
  @IsIn(AUDIT_OUTCOMES)
  @IsOptional()
  outcome?: AuditOutcome

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Not before this time' })
  @ParseText(asInstant)
  @IsDate({ message: A_TIME })
  @IsOptional()
  from?: Date

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Before this time' })
  @ParseText(asInstant)
  @IsDate({ message: A_TIME })
  @IsOptional()
  to?: Date
}
