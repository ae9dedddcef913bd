import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { type Age, AgeCursor, PageLimit } from '../../platform/http/paging.js'
import { IsStorableLine, ParseText } from '../../platform/http/validation.js'
import type { Permissions } from '../../platform/permissions.js'
import type { Role } from '../../users/user.js'
import { PermissionsBody } from './member-access.dto.js'

const DEFAULT_PAGE = 100
/** The maximum length of a name. */
const MAX_SEARCH = 100

/** A page of the team. */
export class MembersQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @AgeCursor()
  after?: Age

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_SEARCH,
    description:
      'Only those whose name or e-mail address contains this, in upper or lower case. A page looks at 10,000 members at most, so it may be short or empty although there is a `next`',
  })
  @ParseText(text => text.trim())
  @IsStorableLine({ min: 1, max: MAX_SEARCH })
  @IsOptional()
  q?: string
}

/** A user as shown to the team. */
export class TeamMemberAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string

  @ApiProperty({ type: String, format: 'email' })
  email!: string

  @ApiProperty({ type: String, nullable: true })
  name!: string | null

  @ApiProperty({ enum: ['owner', 'member'] })
  role!: Role

  @ApiProperty({ type: PermissionsBody, description: 'As granted; on satellites only some of them count' })
  permissions!: Permissions

  @ApiProperty({ type: [String], nullable: true, description: 'Origins to log in at; null means all' })
  satellites!: readonly string[] | null

  @ApiProperty({ type: Boolean })
  isDisabled!: boolean

  @ApiProperty({ type: Boolean })
  hasSecondFactor!: boolean

  @ApiProperty({ type: Boolean, description: 'Whether they may do nothing until they have a second factor' })
  mustEnrol!: boolean

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When a requested reset of their second factors happens; null when none is pending',
  })
  factorResetAt!: Date | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The last login; null for users who have not logged in within 400 days',
  })
  lastLoginAt!: Date | null

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date
}

class TeamAnswer {
  @ApiProperty({ type: [TeamMemberAnswer], description: 'Oldest first' })
  users!: TeamMemberAnswer[]

  @ApiProperty({ type: String, nullable: true, description: 'For `after`; null on the last page' })
  next!: string | null
}

const MAIN_SITE_ONLY =
  'Main site only. Access token and session cookie must belong to the same session, and it must currently have the ' +
  'teamManagement permission.'

export const ListMembersDocs = () =>
  Documented({
    summary: 'List the members of the account',
    description: MAIN_SITE_ONLY,
    status: 200,
    answer: 'One page of everybody, owner and disabled members included',
    type: TeamAnswer,
    refusals: ['INVALID_QUERY'],
  })

export const FindMemberDocs = () =>
  Documented({
    summary: 'Get one member of the account',
    description: MAIN_SITE_ONLY,
    status: 200,
    answer: 'As in the list',
    type: TeamMemberAnswer,
    refusals: ['NOT_FOUND'],
  })

export const SetPermissionsDocs = () =>
  Documented({
    summary: "Change a member's permissions",
    description:
      `${MAIN_SITE_ONLY} Live sessions of the member get them at their next refresh. Nobody can change their own permissions or ` +
      'give what they do not have; the owner always has all. Giving payments, accountSettings or teamManagement requires a re-authentication.',
    status: 204,
    answer: 'The member has these permissions, and as before those that are not named',
    refusals: [...BODY_REFUSALS, 'NOT_FOUND', 'OWN_RIGHTS', 'LAST_OWNER', 'REAUTHENTICATION_REQUIRED'],
  })

export const SetSatellitesDocs = () =>
  Documented({
    summary: 'Change where a member may log in',
    description:
      `${MAIN_SITE_ONLY} \`satellites\` is all of them; \`add\` and \`remove\` change what is set, or what \`satellites\` sets, and leave the rest. ` +
      `The member's sessions at other satellites end. Lifting the limit gives the member every permission ` +
      'that they were granted, so the rules for giving them apply.',
    status: 204,
    answer:
      'The member may log in at these satellites only, and as before at those that are not named; null means everywhere',
    refusals: [
      ...BODY_REFUSALS,
      'UNKNOWN_SATELLITE',
      'NOT_FOUND',
      'OWN_RIGHTS',
      'LAST_OWNER',
      'REAUTHENTICATION_REQUIRED',
    ],
  })

export const DisableMemberDocs = () =>
  Documented({
    summary: 'Disable a member',
    description: `${MAIN_SITE_ONLY} All sessions of the member end.`,
    status: 204,
    answer: 'The member is disabled',
    refusals: ['NOT_FOUND', 'OWN_RIGHTS', 'LAST_OWNER'],
  })

export const EnableMemberDocs = () =>
  Documented({
    summary: 'Enable a disabled member',
    description:
      `${MAIN_SITE_ONLY} This gives the member's permissions back, so the rules for giving them apply: the caller must have ` +
      'them, and payments, accountSettings or teamManagement require a re-authentication.',
    status: 204,
    answer: 'The member may log in',
    refusals: [
      'NOT_FOUND',
      'OWN_RIGHTS',
      'LAST_OWNER',
      'DISABLED_BY_OPERATOR',
      'PLAN_LIMIT_REACHED',
      'REAUTHENTICATION_REQUIRED',
    ],
  })

export const RemoveMemberDocs = () =>
  Documented({
    summary: 'Remove a member',
    description: `${MAIN_SITE_ONLY} All sessions of the member end, the links mailed to them stop working, and the invitations that they sent are withdrawn; a pending transfer of the account to them is cancelled. They are mailed, and can only come back through an invitation. It requires a re-authentication.`,
    status: 204,
    answer: 'The member is gone; what they did stays in the audit log',
    refusals: ['NOT_FOUND', 'OWN_RIGHTS', 'LAST_OWNER', 'DISABLED_BY_OPERATOR'],
  })
