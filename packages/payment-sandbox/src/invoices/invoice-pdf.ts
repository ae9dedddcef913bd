import { money } from '../pages/money.js'
import type { Invoice } from './invoice.js'

/** One page with the lines of the invoice, in ASCII, as the text of a PDF file. */
export function invoicePdf({ number, created, status, lines, total, currency }: Invoice): string {
  const date = new Date(created * 1000).toISOString().slice(0, 10)
  const rows = lines.data.map(
    line => `${line.description ?? 'Subscription'}: ${money(line.amount, currency)}`,
  )
  const text = [
    'Payment sandbox: no real money',
    `Invoice ${number}, ${date}, ${status}`,
    ...rows,
    `Total: ${money(total, currency)}`,
  ]
  return pdfOf(text.map(ascii))
}

/** PDF 32000-1: objects one after the other, and a table of where each begins. */
function pdfOf(lines: string[]): string {
  const content = `BT /F1 12 Tf 18 TL 60 760 Td ${lines.map(line => `(${line}) Tj T*`).join(' ')} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const starts = objects.map((object, index) => {
    const start = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(start).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${starts.join('')}`
  return `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
}

function ascii(text: string): string {
  return text.replace(/[^ -~]/g, '?').replace(/[\\()]/g, '\\$&')
}
