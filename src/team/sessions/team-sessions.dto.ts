import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../../platform/http/endpoint.js'
import { SiteSessionsAnswer } from '../../sessions/active/active-sessions.dto.js'

class MemberSessionsAnswer {
  @ApiProperty({ type: [SiteSessionsAnswer], description: 'Most recently used first' })
  sites!: SiteSessionsAnswer[]
}

class EndedMemberSessionsAnswer {
  @ApiProperty({ type: Number, description: 'How many were ended' })
  ended!: number
}

const EXCEPT_OWNER = "Main site only, with teamManagement. The owner's sessions are the owner's alone."

export const ListMemberSessionsDocs = () =>
  Documented({
    summary: 'List the live sessions of a member by site',
    description: EXCEPT_OWNER,
    status: 200,
    answer: 'The live sessions',
    type: MemberSessionsAnswer,
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })

export const EndMemberSessionsDocs = () =>
  Documented({
    summary: 'End all sessions of a member',
    description: `${EXCEPT_OWNER} The member may log in again.`,
    status: 200,
    answer: 'Ended',
    type: EndedMemberSessionsAnswer,
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })

export const EndMemberSessionDocs = () =>
  Documented({
    summary: 'End one session of a member',
    description: `${EXCEPT_OWNER} A session that is not in the member's list is 404.`,
    status: 204,
    answer: 'Ended',
    refusals: ['OWNER_REQUIRED', 'NOT_FOUND'],
  })
