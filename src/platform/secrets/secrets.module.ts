// What was decided here, and why: docs/decisions/second-factors.md
import { Module } from '@nestjs/common'
import { SecretBox } from './secret-box.js'
import { SecretKeys } from './secret-keys.js'

@Module({ providers: [SecretKeys, SecretBox], exports: [SecretBox] })
export class SecretsModule {}
