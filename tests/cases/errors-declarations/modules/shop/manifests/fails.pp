define shop::fails { shop::deeper { $title: } }
