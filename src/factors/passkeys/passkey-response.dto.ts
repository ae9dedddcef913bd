import { applyDecorators } from '@nestjs/common'
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { registerDecorator } from 'class-validator'

/** 1,023 bytes (WebAuthn §4, credential ID), as base64url. */
const MAX_ID_LENGTH = 1_364
/** Without certificates, which we do not ask for, all are shorter than a kilobyte or two. */
const MAX_FIELD_LENGTH = 8_192
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** For a body field: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.get()`. */
export function IsPasskeyResponse({ required }: { required: boolean }): PropertyDecorator {
  return responseField('isPasskeyResponse', required, isAssertion, 'what credentials.get() gave, as JSON')
}

/** For a body field: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.create()`. */
export function IsNewPasskeyResponse(): PropertyDecorator {
  return responseField('isNewPasskeyResponse', true, isCreation, 'what credentials.create() gave, as JSON')
}

function isAssertion(value: unknown): value is AuthenticationResponseJSON {
  const fields = ['clientDataJSON', 'authenticatorData', 'signature']
  return isResponse(value, fields) && isHandle((value as AuthenticationResponseJSON).response.userHandle)
}

function isCreation(value: unknown): value is RegistrationResponseJSON {
  return isResponse(value, ['clientDataJSON', 'attestationObject'])
}

function isResponse(value: unknown, fields: readonly string[]): boolean {
  if (!isObject(value) || !isObject(value.response)) return false
  const { id, rawId, type, response } = value
  return (
    isBase64Url(id, MAX_ID_LENGTH) &&
    rawId === id &&
    type === 'public-key' &&
    fields.every(field => isBase64Url(response[field], MAX_FIELD_LENGTH))
  )
}

/** Security keys leave it out, or send null, where the request named the credential. */
function isHandle(value: unknown): boolean {
  return value === undefined || value === null || isBase64Url(value, MAX_ID_LENGTH)
}

function isBase64Url(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value.length <= maxLength && BASE64URL.test(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function responseField(
  name: string,
  required: boolean,
  validate: (value: unknown) => boolean,
  meaning: string,
): PropertyDecorator {
  const documented = required ? ApiProperty : ApiPropertyOptional
  return applyDecorators(
    documented({
      type: 'object',
      additionalProperties: true,
      description: `\`PublicKeyCredential.toJSON()\`: ${meaning}`,
    }),
    validated(name, value => (value === undefined && !required) || validate(value), meaning),
  )
}

function validated(name: string, validate: (value: unknown) => boolean, meaning: string): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate,
        defaultMessage: () => `${String(propertyName)} must be ${meaning}`,
      },
    })
}
