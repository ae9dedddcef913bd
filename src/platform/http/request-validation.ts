import { type ArgumentMetadata, type PipeTransform, ValidationPipe } from '@nestjs/common'
import { Transform } from 'class-transformer'
import { ApiError } from '../errors/api-error.js'
import type { ErrorCode } from '../errors/error-codes.js'
import { fieldError } from '../errors/field-faults.js'
import { fieldErrorsOf } from './field-rules.js'

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

/**
 * Converts text in a query or body with `read`; what cannot be converted is left as it is, for validation to
 * refuse.
 */
export function ParseText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? value) : value))
}
