import { type ArgumentMetadata, type PipeTransform, ValidationPipe } from '@nestjs/common'
import { getMetadataStorage, type ValidationError } from 'class-validator'
import { ApiError, type ErrorCode } from '../errors/api-error.js'
import { FIELD_FAULTS, type FieldError, type FieldFault, fieldError } from '../errors/field-faults.js'

/** A rule for a body or query field: its fault code, and the names of the values that it compares with. */
type Rule = FieldFault | readonly [code: FieldFault, ...values: string[]]

/** By the validator's name for the rule; ours are included. */
export const FIELD_RULES: Readonly<Record<string, Rule>> = {
  whitelistValidation: 'UNKNOWN_FIELD',
  isString: 'NOT_TEXT',
  isBoolean: 'NOT_A_BOOLEAN',
  isInt: 'NOT_AN_INTEGER',
  isObject: 'NOT_AN_OBJECT',
  nestedValidation: 'NOT_AN_OBJECT',
  unknownValue: 'NOT_AN_OBJECT',
  isArray: 'NOT_A_LIST',
  isDate: 'NOT_A_TIME',
  isUuid: 'NOT_A_UUID',
  isIn: 'NOT_AN_OPTION',
  matches: 'WRONG_FORMAT',
  isLength: ['WRONG_LENGTH', 'min', 'max'],
  minLength: ['TOO_SHORT', 'min'],
  maxLength: ['TOO_LONG', 'max'],
  min: ['TOO_SMALL', 'min'],
  max: ['TOO_LARGE', 'max'],
  arrayMinSize: ['TOO_FEW', 'min'],
  arrayMaxSize: ['TOO_MANY', 'max'],
  arrayUnique: 'DUPLICATES',
  isOnlyOneOf: 'NOT_EXACTLY_ONE',
  isPasskeyResponse: 'NOT_A_PASSKEY',
  isNewPasskeyResponse: 'NOT_A_PASSKEY',
  isPermissions: 'NOT_AN_OBJECT',
  isEmailAddress: 'NOT_AN_EMAIL',
  hasPlainOrigin: 'NOT_A_LOGO',
  isName: 'NOT_A_NAME',
  isPassword: 'PASSWORD_MISSING',
  isNewPassword: 'PASSWORD_LENGTH',
}

/** For the options of one rule: its fault code, where that differs from {@link FIELD_RULES}. */
export const named = (code: FieldFault) => ({ context: { code } })

/** The name of a field, and the sentence about it, may quote the request. */
const MAX_FIELD_LENGTH = 64
const MAX_SENTENCE = 200

/**
 * What is wrong with the fields of an object that the validator has refused, with its class in `target`.
 * Fields of a nested object are prefixed with its name: `branding.accent`.
 */
function fieldErrorsOf(error: ValidationError, within = ''): FieldError[] {
  const { property, constraints, children = [] } = error
  if (!constraints && children.length > 0)
    return children.flatMap(child => fieldErrorsOf(child, `${within}${property}.`))
  const field = `${within}${property}`.slice(0, MAX_FIELD_LENGTH)
  const [broken] = Object.entries(constraints ?? {})
  if (!broken) return [fieldError(field, 'NOT_VALID')]
  const [rule, sentence] = broken
  const [code, ...names] = [error.contexts?.[rule]?.code ?? FIELD_RULES[rule] ?? 'NOT_VALID'].flat()
  const compared = names.length > 0 ? comparedBy(error, rule) : []
  const values = Object.fromEntries(names.map((name, index) => [name, Number(compared[index])]))
  const fault = fieldError(field, code, values)
  return [
    FIELD_FAULTS[code as FieldFault] === null
      ? { ...fault, message: sentence.slice(0, MAX_SENTENCE) }
      : fault,
  ]
}

/** The arguments that a rule was given in the class: 100 for `@MaxLength(100)`. */
function comparedBy({ target, property }: ValidationError, rule: string): readonly unknown[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(
    target?.constructor as never,
    '',
    true,
    false,
  )
  return rules.find(({ propertyName, name }) => propertyName === property && name === rule)?.constraints ?? []
}

const CODES = { body: 'INVALID_BODY', query: 'INVALID_QUERY' } as const

/**
 * Validates bodies and queries by their classes. Nothing is coerced: `ParseText` says how a text is
 * converted. An unknown field is refused, not dropped, because it is probably a typo. One pipe for both,
 * because every parameter of every request passes through it.
 */
export class RequestValidation implements PipeTransform {
  private readonly body = validation(CODES.body)
  private readonly query = validation(CODES.query)

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type } = metadata
    if (type !== 'body' && type !== 'query') return value
    refuseInheritedNames(value, CODES[type])
    return this[type].transform(value, metadata)
  }
}

/** The validator uses a plain object as a map, so it finds `toString`, `constructor` and `__proto__` in any class. */
function refuseInheritedNames(value: unknown, code: ErrorCode): void {
  if (typeof value !== 'object' || value === null) return
  const names = Object.keys(value)
  const inherited = names.filter(name => name in Object.prototype)
  if (inherited.length > 0)
    throw new ApiError(code, {
      errors: inherited.map(field => fieldError(field, 'UNKNOWN_FIELD')),
    })
  for (const name of names) refuseInheritedNames((value as Record<string, unknown>)[name], code)
}

function validation(code: ErrorCode): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: true, value: false },
    exceptionFactory: errors => new ApiError(code, { errors: errors.flatMap(error => fieldErrorsOf(error)) }),
  })
}
