import { Module } from '@nestjs/common'
import { OneTimeTokenCleanup } from './one-time-token-cleanup.js'
import { OneTimeTokens } from './one-time-tokens.js'

@Module({ providers: [OneTimeTokens, OneTimeTokenCleanup], exports: [OneTimeTokens, OneTimeTokenCleanup] })
export class OneTimeTokensModule {}
