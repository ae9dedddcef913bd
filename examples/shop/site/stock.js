// In this browser alone. A real shop has a backend for it, which checks the access token: examples/express-backend.
const KEY = 'stock'
const AT_FIRST = [
  { name: 'Town bike', price: 540, stock: 4, sold: 0 },
  { name: 'Touring bike', price: 980, stock: 2, sold: 0 },
  { name: 'Child’s bike', price: 260, stock: 1, sold: 0 },
]

export function bicycles() {
  return JSON.parse(localStorage.getItem(KEY)) ?? AT_FIRST
}

/** One sold is -1, one delivered 1. */
export function changeStock(name, by) {
  const changed = bicycles().map(bicycle =>
    bicycle.name === name
      ? { ...bicycle, stock: bicycle.stock + by, sold: bicycle.sold + (by < 0 ? 1 : 0) }
      : bicycle,
  )
  localStorage.setItem(KEY, JSON.stringify(changed))
}

export function soldToday() {
  return bicycles().reduce(
    (sum, { sold, price }) => ({ bicycles: sum.bicycles + sold, takings: sum.takings + sold * price }),
    { bicycles: 0, takings: 0 },
  )
}
