// Package models reads the section models of graph files and what stands in the
// place of one of its names, and puts around a model what the file says of
// retries, limits and time. Making a model is not its business.
package models
