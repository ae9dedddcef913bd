import { Body, Controller, HttpCode, Post } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { Public } from '../../tokens/jwt.guard.js'
import { MailedLinkPreview } from './mailed-link-preview.service.js'
import { MailedLinkAnswer, PreviewMailedLinkDocs } from './mailed-links.dto.js'

@ApiTags('Account')
@Controller('api/mailed-links')
export class MailedLinksController {
  constructor(private readonly linkPreview: MailedLinkPreview) {}

  /** What a mailed link is about. Public: whoever has the link may use it, and learns little more than its mail says. */
  @Public()
  @Post('preview')
  @HttpCode(200)
  @PreviewMailedLinkDocs()
  preview(@Body() { token }: MailedLinkBody, @CurrentClient() client: Client): Promise<MailedLinkAnswer> {
    return this.linkPreview.find(token, client)
  }
}
