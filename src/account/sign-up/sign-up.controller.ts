import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../../platform/http/request.js'
import { Public } from '../../tokens/jwt.guard.js'
import { SignUpBody, SignUpDocs, VerifySignUpBody, VerifySignUpDocs } from './sign-up.dto.js'
import { SignUpGuard } from './sign-up.guard.js'
import { SignUpService, SignUpVerification } from './sign-up.service.js'

@ApiTags('Sign-up')
@Controller('api/signup')
@UseGuards(SignUpGuard)
export class SignUpController {
  constructor(
    private readonly signUpService: SignUpService,
    private readonly verification: SignUpVerification,
  ) {}

  /** Requests an account. Public, because the caller has none yet. */
  @Public()
  @Post()
  @HttpCode(202)
  @SignUpDocs()
  signUp(@Body() applicant: SignUpBody, @CurrentClient() client: Client) {
    return this.signUpService.signUp(applicant, client)
  }

  /** Creates the account. Public: the link and the password are the proof. */
  @Public()
  @Post('verify')
  @HttpCode(201)
  @VerifySignUpDocs()
  async verify(@Body() { token, password }: VerifySignUpBody, @CurrentClient() client: Client) {
    const { id } = await this.verification.verify(token, password, client)
    return { userId: id }
  }
}
