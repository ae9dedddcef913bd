import {
  type ArgumentMetadata,
  type PipeTransform,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common'
import { Transform } from 'class-transformer'
import { ApiError, type FieldError } from '../errors/api-error.js'
import type { ErrorCode } from '../errors/error-codes.js'

const CODES = { body: 'INVALID_BODY', query: 'INVALID_QUERY' } as const

/**
 * Validates bodies and queries by their classes. Nothing is coerced: `ParseText` says how a text is
 * converted. An unknown field is refused, not dropped, because it is probably a typing mistake. One pipe for
 * both, because every parameter of every request passes it.
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

/**
 * The validator uses a plain object as its map, so it finds `toString`, `constructor` and `__proto__` in any
 * class.
 */
function refuseInheritedNames(value: unknown, code: ErrorCode): void {
  if (typeof value !== 'object' || value === null) return
  const names = Object.keys(value)
  const inherited = names.filter(name => name in Object.prototype)
  if (inherited.length > 0)
    throw new ApiError(code, {
      errors: inherited.map(field => ({ field, message: `property ${field} should not exist` })),
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
    validationError: { target: false, value: false },
    exceptionFactory: errors => new ApiError(code, { errors: errors.flatMap(error => fieldErrors(error)) }),
  })
}

/** Fields of an object within the body have its name before theirs: `branding.accent`. */
function fieldErrors({ property, constraints, children = [] }: ValidationError, within = ''): FieldError[] {
  if (!constraints && children.length > 0)
    return children.flatMap(child => fieldErrors(child, `${within}${property}.`))
  const field = `${within}${property}`.slice(0, 64)
  return [{ field, message: messageFor(property, constraints).slice(0, 200) }]
}

/**
 * Converts text in a query or body with `read`; what cannot be converted stays as it is, for validation to
 * refuse.
 */
export function ParseText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? value) : value))
}

/**
 * What people read at a form field, by the validation rule that it breaks. Fields that nobody types into keep
 * the rule's own message, which is for the client's developer.
 */
const FOR_PEOPLE: Readonly<Record<string, string>> = {
  isEmailAddress: 'This is not an e-mail address that we can use. It should look like name@example.com',
  isName: 'Please enter 1 to 100 characters on one line, without spaces at either end',
  isNewPassword: 'Please choose a password of 8 to 1,024 characters',
  isPassword: 'Please enter your password',
}

/** What to say of a field that breaks these rules; the first of them counts. */
function messageFor(property: string, constraints: Readonly<Record<string, string>> = {}): string {
  const [broken] = Object.entries(constraints)
  if (!broken) return `${property} is not valid`
  const [rule, sentence] = broken
  return FOR_PEOPLE[rule] ?? sentence
}
