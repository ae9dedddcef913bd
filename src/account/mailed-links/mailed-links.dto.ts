import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'

export class MailedLinkAnswer {
  @ApiProperty({ type: String, format: 'email', description: 'The address that the link was mailed to' })
  email!: string

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of an invitation or a transfer; null where it has none, or one that could mislead',
  })
  accountName!: string | null

  @ApiProperty({
    type: String,
    format: 'email',
    nullable: true,
    description: 'Of an invitation: who sent it',
  })
  invitedBy!: string | null

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Of an invitation: origins to log in at, as far as they are proven; null means all',
  })
  satellites!: readonly string[] | null
}

export const PreviewMailedLinkDocs = () =>
  Documented({
    summary: 'What a mailed link is about',
    description:
      'For the page that a mail leads to, before anything happens. It uses nothing up. A link that is not valid counts as a ' +
      'guess, as where it is used.',
    status: 200,
    answer: 'The link was valid a moment ago',
    type: MailedLinkAnswer,
    refusals: [...BODY_REFUSALS, 'INVALID_LINK', 'TOO_MANY_ATTEMPTS', 'DATABASE_UNAVAILABLE'],
  })
