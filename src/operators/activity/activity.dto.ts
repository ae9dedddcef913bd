import { IsDate, IsIn, IsOptional, Matches } from 'class-validator'
import { asInstant, RowCursor, RowLimit } from '../../audit/scan.js'
import { AUDIT_ACTIONS, type AuditAction } from '../../platform/audit/audit-event.js'
import { UUID } from '../../platform/http/request.js'
import { ParseText } from '../../platform/http/validation.js'

/** Actions that only read: viewing people and accounts, searching, and lists that contain people. */
export const LOOKS = ['operator.view', 'operator.search', 'operator.list'] as const
export const LOGINS = ['operator.login', 'operator.logout'] as const
/** Operators are added and disabled only at the command line; the rows name the operator concerned. */
export const ABOUT_OPERATORS = ['operator.add', 'operator.disable'] as const
/** The name of the actor when nobody has logged in, as in `detailOf` of the audit log. */
export const COMMAND_LINE = 'command line'

/** `changes`: everything but views (`looks`) and logins. */
const KINDS = ['changes', 'looks', 'logins'] as const

/** Selects what operators did; all conditions must hold. */
export class ActivityQuery {
  /** An operator's id, or `command line`. */
  @Matches(new RegExp(`^(${UUID}|command line)$`))
  @IsOptional()
  operator?: string

  @IsIn(KINDS)
  @IsOptional()
  kind?: (typeof KINDS)[number]

  @IsIn(AUDIT_ACTIONS)
  @IsOptional()
  action?: AuditAction

  /** At this time or later. */
  @ParseText(asInstant)
  @IsDate()
  @IsOptional()
  from?: Date

  /** Before this time. */
  @ParseText(asInstant)
  @IsDate()
  @IsOptional()
  to?: Date

  @RowLimit()
  limit?: number

  @RowCursor()
  after?: number
}
