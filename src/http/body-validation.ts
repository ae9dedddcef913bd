import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common'
import { ApiError, type FieldError } from '../errors/api-error.js'
import type { ErrorCode } from '../errors/error-codes.js'

/** Bodies are typed, never coerced; an unknown field is refused, not dropped: a typing mistake must not pass in silence. */
export function bodyValidation(): ValidationPipe {
  return new PartValidation('body', 'INVALID_BODY')
}

/** Queries are text; their classes say by `@Transform` what becomes of it. An unknown name is refused, as in bodies. */
export function queryValidation(): ValidationPipe {
  return new PartValidation('query', 'INVALID_QUERY')
}

/** Validates one part of a request. */
class PartValidation extends ValidationPipe {
  constructor(
    private readonly part: 'body' | 'query',
    code: ErrorCode,
  ) {
    super({
      transform: true,
      transformOptions: { enableImplicitConversion: false },
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: errors => new ApiError(code, { errors: errors.map(asFieldError) }),
    })
  }

  protected override toValidate(metadata: ArgumentMetadata): boolean {
    return metadata.type === this.part && super.toValidate(metadata)
  }
}

function asFieldError({ property, constraints }: ValidationError): FieldError {
  const [message] = Object.values(constraints ?? { type: `${property} is not as documented` })
  return { field: property.slice(0, 64), message: (message ?? '').slice(0, 200) }
}
