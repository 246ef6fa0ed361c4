'use strict'
// Reads ranges.

const fs = require('fs')
const { a } = require('a')

;(function () {
  function one() {}
  const two = async (x) => {
    const no = () => {}
  }
  let count = 3
})()

exports.three = function (a) { return `${`}`}${{ a }}` }
module.exports = {
  four(a) {},
  five: async (b) => b,
  six: 1,
}
export default class extends Base {
  static seven = () => {}
  get eight() { return 1 }
  async *#nine() {}
}
